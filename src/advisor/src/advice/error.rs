//! Errors of invalid settings.

use thiserror::Error;

use super::settings::MOST_TABLETS;
use crate::formatting::grouped;

/// A setting that is impossible for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// There are no servers.
    #[error("0 servers cannot hold a table: give at least 1")]
    Servers,
    /// There are no tablets, or more than the maximum.
    #[error("a table cannot have {} tablets: give 1 to {}", grouped((*.0).into()), grouped(MOST_TABLETS))]
    Tablets(u32),
    /// A row has no cells.
    #[error("a row cannot have 0 cells: give at least 1")]
    CellsPerRow,
}
