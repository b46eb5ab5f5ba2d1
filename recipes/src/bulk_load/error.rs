//! The error of a bulk load.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

use thiserror::Error as ThisError;

use super::report::BulkLoadReport;
use crate::key_design::DesignError;
use crate::number::grouped;

/// The reason why a bulk load stopped, the rows that it concerns, and the state of the others.
#[derive(Debug)]
pub struct BulkLoadError {
    /// The numbers of the rows that failed, from 1, in the order of the input: one row, or all rows
    /// of a write that failed as a whole.
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
    Design(#[from] DesignError),
    /// The table failed, or refused the rows.
    #[error(transparent)]
    Table(#[from] fluo_table::Error),
}

/// A failure, without the counts of the load.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) rows: RangeInclusive<u64>,
    pub(super) cause: BulkLoadCause,
}

impl Failure {
    pub(super) fn new(rows: RangeInclusive<u64>, cause: impl Into<BulkLoadCause>) -> Self {
        let cause = cause.into();
        Self { rows, cause }
    }

    /// Creates a failure of one row.
    pub(super) fn of_row(number: u64, cause: impl Into<BulkLoadCause>) -> Self {
        Self::new(number..=number, cause)
    }
}

impl fmt::Display for BulkLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (grouped(*self.rows.start()), grouped(*self.rows.end()));
        write!(f, "{} (", self.cause)?;
        match first == last {
            true => write!(f, "row {first}")?,
            false => write!(f, "rows {first} to {last}")?,
        }
        write!(
            f,
            " of the load; rows written: {}",
            grouped(self.report.written)
        )?;
        if self.report.unknown > 0 {
            write!(f, ", unknown: {}", grouped(self.report.unknown))?;
        }
        f.write_str(")")
    }
}

impl Error for BulkLoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}
