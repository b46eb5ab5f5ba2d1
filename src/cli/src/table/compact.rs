//! `fluo table compact`.

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use fluo_table::{Garbage, Span};
use serde_json::json;

use crate::target::{TargetArguments, check_exists, check_writable};
use crate::text::seconds;
use crate::{output, progress};

/// Compact a table: rewrite its files without deleted cells and old versions, and wait.
///
/// The rows that readers see do not change. `fluo app gc` compacts the table of an application, and
/// also drops the old versions of its transactions.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo table compact --at embedded:./data pages")]
pub(crate) struct Compact {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    name: String,
}

impl Compact {
    pub(crate) async fn run(&self) -> Result<()> {
        let (tables, unwritable) = self.target.open_checked().await?;
        check_writable(unwritable)?;
        check_exists(&*tables, &self.name).await?;
        let (begun, span) = (Instant::now(), Span::all());
        let compacted = tables.compact(&self.name, &span, Garbage::Keep);
        progress::while_it_lasts(format!("compacting table `{}`", self.name), compacted).await?;
        let took = begun.elapsed();
        say!("compacted table `{}` in {}", self.name, seconds(took));
        output::print_result(&json!({ "table": self.name, "seconds": took.as_secs_f64() }))
    }
}
