//! `fluo table show`.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use fluo_table::{ErrorKind, Escaped, Tablets};
use serde::Serialize;

use super::bars;
use crate::output;
use crate::target::TargetArguments;
use crate::text::{count_of, plural};

/// Maximum number of tablets that are listed.
const MOST_LISTED: usize = 64;

/// The beginning of the names of all table properties.
const TABLE: &str = "table.";

/// Show the tablets of a table, with their server and size, and its properties.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table show --at embedded:./data pages")]
pub(crate) struct Show {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    name: String,
    /// Print JSON; bytes that are not printable ASCII are written \xNN
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    table: String,
    entries: u64,
    tablets: Vec<ShownTablet>,
    properties: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct ShownTablet {
    end_row: Option<String>,
    server: Option<String>,
    entries: u64,
}

impl Show {
    pub(crate) async fn run(&self) -> Result<()> {
        let tables = self.target.open().await?;
        match tables.flush(&self.name).await {
            Err(error) if error.kind() == ErrorKind::Denied => output::say(
                "note: this user may not flush the table, so entries that are still in memory are not counted",
            ),
            flushed => flushed?,
        }
        let tablets = tables.tablets(&self.name).await?;
        let mut properties = tables.properties(&self.name).await?;
        // A live Accumulo also returns the settings of its servers.
        properties.retain(|name, _| name.starts_with(TABLE));
        let shown = Shown {
            table: self.name.clone(),
            entries: tablets.entries(),
            tablets: shown(&tablets),
            properties,
        };
        if self.json {
            output::print_json(&shown)
        } else {
            draw(&shown)
        }
    }
}

fn shown(tablets: &Tablets) -> Vec<ShownTablet> {
    let tablet = |tablet: &fluo_table::Tablet| ShownTablet {
        end_row: tablet.end_row.as_ref().map(|row| Escaped(row).to_string()),
        server: tablet.server.clone(),
        entries: tablet.entries,
    };
    tablets.as_slice().iter().map(tablet).collect()
}

fn draw(shown: &Shown) -> Result<()> {
    let tablets = plural(count_of(shown.tablets.len()), "tablet");
    let entries = shown.entries;
    output::print(&format!(
        "table {}: {tablets}, {}",
        shown.table,
        plural(entries, "entry")
    ))?;
    output::print("\ntablets, by end row, with the server and the stored entries:")?;
    let label = |tablet: &ShownTablet| {
        let end_row = tablet.end_row.as_deref().unwrap_or("(end of table)");
        format!(
            "  {end_row}  {}",
            tablet.server.as_deref().unwrap_or("(on no server)")
        )
    };
    let listed: Vec<_> = shown
        .tablets
        .iter()
        .take(MOST_LISTED)
        .map(|tablet| (label(tablet), tablet.entries))
        .collect();
    for line in bars(
        listed
            .iter()
            .map(|(label, entries)| (label.as_str(), *entries)),
    ) {
        output::print(&line)?;
    }
    if shown.tablets.len() > MOST_LISTED {
        let more = count_of(shown.tablets.len() - MOST_LISTED);
        output::print(&format!(
            "  and {}; --json has all of them",
            plural(more, "more tablet")
        ))?;
    }
    output::print("\nproperties:")?;
    shown
        .properties
        .iter()
        .try_for_each(|(name, value)| output::print(&output::shown(&format!("  {name} = {value}"))))
}
