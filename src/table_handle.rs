//! The handle of an open table.

use std::ops::Deref;
use std::sync::Arc;

use fluo_table::table::TableExt;
use fluo_table::{
    Bytes, Cell, CellBatches, Column, ConditionalMutation, Mutation, Outcome, Result, Scan,
};

/// An open table. Cloning is cheap.
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
        let mutations = mutations.into_iter().collect();
        self.port.write_conditional(mutations).await
    }

    /// Returns the newest visible value of a cell, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_table::Table::scan`].
    pub async fn get(&self, row: impl Into<Bytes>, column: &Column) -> Result<Option<Bytes>> {
        self.port.get(row, column).await
    }

    /// Reads a whole scan into memory. Use it for results that are known to be small.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_table::Table::scan`].
    pub async fn read(&self, scan: Scan) -> Result<Vec<Cell>> {
        self.port.read(scan).await
    }

    /// Returns the cells of a scan, in batches.
    #[must_use]
    pub fn scan(&self, scan: Scan) -> CellBatches {
        self.port.scan(scan)
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
