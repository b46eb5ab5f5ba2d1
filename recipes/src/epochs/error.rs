//! Why rows of several epochs could not be read or moved.

use fluo_core::Error;
use thiserror::Error as ThisError;

use super::cursor::MigrationCursorError;
use crate::key_design::DesignError;
use crate::row_hasher::Excerpt;

/// Why rows of several epochs could not be read or moved.
#[derive(Clone, Debug, ThisError)]
#[non_exhaustive]
pub enum EpochsError {
    /// The table could not be read or written. A step of a migration that fails may have moved some of its rows; run
    /// again from the same cursor, or from the start, it moves the others.
    #[error(transparent)]
    Table(#[from] Error),
    /// A row that has no key in any of the designs.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The cursor is one of another migration.
    #[error(transparent)]
    Cursor(#[from] MigrationCursorError),
    /// A column that has to be moved at once is larger than a step may hold.
    #[error(
        "one column of the row {row} has {bytes} bytes in all its versions, and a step may hold {bound}: raise \
         memory_bytes"
    )]
    Memory {
        /// The stored key of the row.
        row: Excerpt,
        /// Bytes of it that were read.
        bytes: usize,
        /// Bytes that a step may hold.
        bound: usize,
    },
}
