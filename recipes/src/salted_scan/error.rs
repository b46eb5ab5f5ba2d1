//! Errors of a salted scan.

use fluo_table::Error;
use thiserror::Error as ThisError;

use crate::key_design::DesignError;
use crate::row_hasher::Excerpt;

/// An error that ended a salted scan. The rows yielded before it are valid, and a
/// [cursor](crate::ScanCursor) resumes the scan after them.
#[derive(Clone, Debug, ThisError)]
#[non_exhaustive]
pub enum SaltedScanError {
    /// The table could not be read.
    #[error(transparent)]
    Table(#[from] Error),
    /// The scanned range contains a key that the design cannot have made.
    #[error(
        "the scanned rows include a key of another design: {reason}; scan with the design that wrote it, or skip \
         and count such keys"
    )]
    Foreign {
        /// The key as it is stored.
        key: Excerpt,
        /// The reason why the design cannot have made it.
        reason: DesignError,
    },
    /// The cells that must be held at once exceed the memory bound of the scan.
    #[error(
        "the scan holds {held} bytes of cells, {largest} of them for the row {row}, and may hold {bound} for all its \
         pieces of the table ({pieces}): raise memory_bytes, select fewer columns, or scan fewer rows"
    )]
    Memory {
        /// Bytes held.
        held: usize,
        /// Maximum number of bytes to hold.
        bound: usize,
        /// Number of pieces of the table that share the bound.
        pieces: usize,
        /// The stored key of the largest row at the head of a piece.
        row: Excerpt,
        /// Bytes of that row.
        largest: usize,
    },
}
