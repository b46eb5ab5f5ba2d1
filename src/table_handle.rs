//! The handle of an open table.

use std::ops::Deref;
use std::sync::Arc;

use fluo_table::{ConditionalMutation, Mutation, Outcome, Result};

/// An open table. Cloning is cheap.
///
/// Read it with `get`, `read` and `scan` of the [port](fluo_table::Table), to which it
/// dereferences.
///
/// `&*table` is the [port](fluo_table::Table), which tools for tables take, and `table.into()` is a
/// shared one, which sinks and scans over salted rows take.
#[derive(Clone, Debug)]
pub struct Table {
    port: Arc<dyn fluo_table::Table>,
}

impl Table {
    /// Writes mutations. Those of one row take effect together; an error may leave some of the
    /// others written.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_table::Table::write`].
    pub async fn write(&self, mutations: impl IntoIterator<Item = Mutation>) -> Result<()> {
        self.port.write(mutations.into_iter().collect()).await
    }

    /// Writes each mutation if its conditions hold, and returns the outcomes in their order.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_table::Table::write_conditional`].
    pub async fn write_conditional(
        &self,
        mutations: impl IntoIterator<Item = ConditionalMutation>,
    ) -> Result<Vec<Outcome>> {
        self.port.write_conditional(mutations.into_iter().collect()).await
    }
}

impl Deref for Table {
    type Target = dyn fluo_table::Table;

    fn deref(&self) -> &Self::Target {
        &*self.port
    }
}

impl From<Arc<dyn fluo_table::Table>> for Table {
    fn from(port: Arc<dyn fluo_table::Table>) -> Self {
        Self { port }
    }
}

impl From<Table> for Arc<dyn fluo_table::Table> {
    fn from(table: Table) -> Self {
        table.port
    }
}
