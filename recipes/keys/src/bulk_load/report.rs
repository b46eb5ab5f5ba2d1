//! The counts of a bulk load.

use fluo_table::Bytes;

use super::cause::Failure;
use super::repeated_keys::RepeatedKeys;
use crate::number::count;

/// The counts of a bulk load, in progress or at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkLoadReport {
    /// The number of rows that the table has acknowledged.
    pub written: u64,
    /// The number of rows that may be written: the outcome of their write is unknown, or it is in
    /// progress. At the end of a load without an error it is 0.
    pub unknown: u64,
    /// Rows that exist already, and were not written. Only an insert-only load has such rows.
    pub existing: ExistingRows,
    /// Rows that exist, written by this load or before it, because the answer to their first write
    /// was lost. Only an insert-only load has such rows.
    pub unsure: ExistingRows,
    /// Rows that were read and whose key an earlier row has. In an insert-only load they count as
    /// existing instead.
    pub repeated_keys: RepeatedKeys,
}

/// Rows that exist: all of them are counted, and the first are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExistingRows {
    /// The number of rows.
    pub count: u64,
    /// The first of them, in the order of the input.
    pub first: Vec<ExistingRow>,
}

/// A row that exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExistingRow {
    /// The number of the row in the input, from 1.
    pub number: u64,
    /// The row.
    pub row: Bytes,
    /// The key under which it exists.
    pub key: Bytes,
}

/// The outcome of the rows of a write.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Number of rows that are written.
    pub(super) written: u64,
    /// Number of rows that may be written.
    pub(super) unknown: u64,
    /// Rows that exist already, and were not written.
    pub(super) existing: Vec<ExistingRow>,
    /// Rows that exist, written by this load or before it.
    pub(super) unsure: Vec<ExistingRow>,
    /// The first failure.
    pub(super) failure: Option<Failure>,
}

impl BulkLoadReport {
    /// Checks whether the table has answered no write yet.
    pub(super) fn is_untried(&self) -> bool {
        self.written + self.existing.count + self.unsure.count == 0
    }

    /// Counts the rows of a write that ended, names at most this number of each kind, and returns
    /// the failure of the write.
    pub(super) fn add(&mut self, written: Written, most_named: usize) -> Option<Failure> {
        self.written += written.written;
        self.unknown += written.unknown;
        self.existing.add(written.existing, most_named);
        self.unsure.add(written.unsure, most_named);
        written.failure
    }
}

impl ExistingRows {
    fn add(&mut self, mut more: Vec<ExistingRow>, most_named: usize) {
        self.count += count(more.len());
        self.first.append(&mut more);
        self.first.sort_unstable();
        self.first.truncate(most_named);
    }
}
