//! A table and the optimizations that are planned, applied or verified.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use fluo_keys::{Plan, TableOptimizations};
use fluo_table::{Error, TableAdmin};

use crate::output;
use crate::progress;
use crate::spec::{Expected, SpecArguments};
use crate::target::TargetArguments;

#[derive(Debug)]
pub(crate) struct Optimized {
    pub(crate) tables: Arc<dyn TableAdmin>,
    /// The error with which an embedded directory refuses changes, if it is known.
    pub(crate) unwritable: Option<Error>,
    pub(crate) table: String,
    pub(crate) optimizations: TableOptimizations,
    pub(crate) expected: Expected,
}

#[derive(Args, Debug)]
pub(crate) struct SpecTable {
    #[command(flatten)]
    pub(super) target: TargetArguments,
    #[command(flatten)]
    pub(super) spec: SpecArguments,
    /// Name of the table
    pub(super) name: String,
}

impl SpecTable {
    pub(super) async fn open(self) -> Result<Optimized> {
        let (optimizations, expected) = self.spec.read_expected()?;
        let (tables, unwritable) = self.target.open_checked().await?;
        Ok(Optimized { tables, unwritable, table: self.name, optimizations, expected })
    }
}

impl Optimized {
    pub(crate) async fn plan(&self, prune: bool) -> Result<Plan> {
        let looking = format!("looking at table {}", output::shown(&self.table));
        let plan = self.optimizations.plan(&*self.tables, &self.table);
        Ok(progress::while_it_lasts(looking, plan.prune(prune).into_future()).await?)
    }
}
