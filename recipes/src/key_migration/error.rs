//! Errors of reading and moving rows of several epochs.

use fluo_table::Error;
use thiserror::Error as ThisError;

use super::cursor::MigrationCursorError;
use crate::key_design::DesignError;
use crate::row_hasher::Excerpt;

/// An error of reading or moving rows of several epochs.
#[derive(Clone, Debug, ThisError)]
#[non_exhaustive]
pub enum MigrationError {
    /// The table could not be read or written. A failed migration step may have moved some of its
    /// rows; a retry from the same cursor, or from the start, moves the others.
    #[error(transparent)]
    Table(#[from] Error),
    /// The row has no key in any of the designs.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The cursor belongs to another migration.
    #[error(transparent)]
    Cursor(#[from] MigrationCursorError),
    /// A column that must be moved in one step is larger than a step may hold.
    #[error(
        "one column of the row {row} has {bytes} bytes in all its versions, but a step may hold {bound}: raise \
         memory_bytes"
    )]
    Memory {
        /// The stored key of the row.
        row: Excerpt,
        /// Bytes of the row that were read.
        bytes: usize,
        /// Maximum number of bytes that a step holds.
        bound: usize,
    },
}
