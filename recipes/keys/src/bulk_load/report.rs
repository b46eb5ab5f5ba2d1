//! The counts of a bulk load, and its error.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

use fluo_table::{Bytes, Grouped};
use thiserror::Error as ThisError;

use crate::error::RecipeError;

/// The counts of a bulk load, in progress or at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkLoadReport {
    /// The number of bytes of the rows that were read, with their columns and values.
    pub read_bytes: u64,
    /// The number of these bytes whose write has ended, successful or not.
    pub ended_bytes: u64,
    /// The number of rows that the table has acknowledged.
    pub written: u64,
    /// The number of cells of these rows.
    pub written_cells: u64,
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

/// The rows whose key an earlier row of the load has.
///
/// A table keeps the last of them, so a load of fewer keys than rows is not a fault of the table.
/// Only the keys of one load are compared, so rows of earlier loads do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatedKeys {
    /// The number of these rows.
    pub rows: u64,
    /// `true` if there may be more of them: a load remembers 7,340,032 keys, which take at most
    /// 115 MB.
    pub is_lower_bound: bool,
}

/// The numbers of the rows that failed, and the cause.
pub(super) type Failure = (RangeInclusive<u64>, BulkLoadCause);

/// The reason why a bulk load stopped, the rows that it concerns, and the state of the others.
#[derive(Debug)]
pub struct BulkLoadError {
    /// The numbers of the rows that failed, from 1, in the order of the input: one row, or the
    /// first and the last row of a write that failed as a whole. Rows are sorted before they are
    /// written, so rows between these two may be in other writes.
    pub rows: RangeInclusive<u64>,
    /// The cause.
    pub cause: BulkLoadCause,
    /// The counts at the end of the load.
    pub report: Box<BulkLoadReport>,
}

/// The cause of a [`BulkLoadError`].
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum BulkLoadCause {
    /// The input failed. The rows before the failure are written.
    #[error(transparent)]
    Input(Box<dyn Error + Send + Sync>),
    /// The design has no key for the row. The rows before it are written.
    #[error(transparent)]
    Design(#[from] RecipeError),
    /// A write failed; or the table refuses one row, and the rows before it are written.
    #[error(transparent)]
    Table(#[from] fluo_table::Error),
}

impl fmt::Display for BulkLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (Grouped(*self.rows.start()), Grouped(*self.rows.end()));
        if self.rows.start() == self.rows.end() {
            write!(f, "{} (row {first}", self.cause)?;
        } else {
            write!(f, "{} (in rows {first} to {last}", self.cause)?;
        }
        write!(f, " of the load; rows written: {}", Grouped(self.report.written))?;
        if self.report.unknown > 0 {
            write!(f, ", unknown: {}", Grouped(self.report.unknown))?;
        }
        f.write_str(")")
    }
}

impl Error for BulkLoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

impl BulkLoadReport {
    /// Adds the counts of a write that ended, and names at most this number of rows of each kind.
    pub(super) fn add(&mut self, written: Self, most_named: usize) {
        self.written += written.written;
        self.written_cells += written.written_cells;
        self.unknown += written.unknown;
        self.ended_bytes += written.ended_bytes;
        self.existing.add(written.existing, most_named);
        self.unsure.add(written.unsure, most_named);
    }
}

impl ExistingRows {
    pub(super) fn push(&mut self, row: ExistingRow) {
        self.count += 1;
        self.first.push(row);
    }

    fn add(&mut self, mut more: Self, most_named: usize) {
        self.count += more.count;
        self.first.append(&mut more.first);
        self.first.sort_unstable();
        self.first.truncate(most_named);
    }
}
