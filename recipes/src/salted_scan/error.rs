//! Why a salted scan ended early.

use fluo_core::Error;
use thiserror::Error as ThisError;

use crate::key_design::DesignError;
use crate::row_hasher::Excerpt;

/// Why a salted scan ended early. What it yielded before stands, and a [cursor](crate::ScanCursor) resumes it.
#[derive(Clone, Debug, ThisError)]
#[non_exhaustive]
pub enum SaltedScanError {
    /// The table could not be read.
    #[error(transparent)]
    Table(#[from] Error),
    /// A key lies among those of the design that the design cannot have made.
    #[error(
        "a row of another design lies among the rows that are scanned: {reason}; scan with the design that wrote it, \
         or let such rows be counted and passed over"
    )]
    Foreign {
        /// The key as it is stored.
        key: Excerpt,
        /// Why it is none of the design's.
        reason: DesignError,
    },
    /// What has to be held at once is more than the scan may hold.
    #[error(
        "the scan holds {held} bytes of cells, {largest} of them of the row {row}, and may hold {bound} over all its \
         pieces of the table ({pieces}): raise memory_bytes, select fewer columns, or scan fewer rows"
    )]
    Memory {
        /// Bytes that are held.
        held: usize,
        /// Bytes that may be held.
        bound: usize,
        /// Over how many pieces of the table.
        pieces: usize,
        /// The stored key of the largest row among the heads.
        row: Excerpt,
        /// Its bytes.
        largest: usize,
    },
}
