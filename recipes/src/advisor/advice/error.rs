//! What cannot be advised on.

use thiserror::Error;

use super::settings::MOST_TABLETS;
use crate::number::grouped;

/// A setting that no table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// There is no server.
    #[error("0 servers cannot hold a table: give at least 1")]
    Servers,
    /// No tablet, or more than are advised.
    #[error("{} tablets cannot be: give 1 to {}", grouped((*.0).into()), grouped(MOST_TABLETS))]
    Tablets(u32),
    /// A row that has no cell is no row.
    #[error("rows of 0 cells cannot be: give at least 1 cell a row")]
    CellsPerRow,
}
