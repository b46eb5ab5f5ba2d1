//! Causes of a failure.

use std::error::Error;
use std::ops::RangeInclusive;

use thiserror::Error as ThisError;

use crate::error::RecipeError;

/// The cause of a [`BulkLoadError`](super::BulkLoadError).
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum BulkLoadCause {
    /// The input failed. The rows before the failure are written.
    #[error(transparent)]
    Input(Box<dyn Error + Send + Sync>),
    /// The design has no key for the row. The rows before it are written.
    #[error(transparent)]
    Design(#[from] RecipeError),
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
