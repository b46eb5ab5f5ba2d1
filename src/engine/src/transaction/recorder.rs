//! The hook of a transaction: [`Recorder`].

use std::fmt;

use fluo_table::{Bytes, Cell, RowColumn};

/// A receiver of the reads and writes of a transaction, each after it has succeeded.
///
/// [`Transaction::recorded_by`](crate::Transaction::recorded_by) sets it. The calls must be short
/// and must not use the transaction.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// Records the cells that a read returned, in key order. A scan records a batch when the caller
    /// receives it.
    fn record_read(&self, cells: &[Cell]);

    /// Records a write that the transaction has accepted. `None` is a delete.
    fn record_write(&self, cell: &RowColumn, value: Option<&Bytes>);
}
