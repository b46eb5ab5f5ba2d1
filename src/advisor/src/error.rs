//! The error type of the advisor.

use std::fmt;

use fluo_table::Grouped;

/// The maximum number of tablets.
pub(crate) const MOST_TABLETS: u64 = 65_536;

/// The setting that is impossible for a table, and therefore has to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdvisorErrorKind {
    /// The number of servers.
    Servers,
    /// The number of tablets.
    Tablets,
    /// The number of cells in a row.
    CellsPerRow,
}

/// An error of the advisor. Its message says what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvisorError {
    kind: AdvisorErrorKind,
    message: String,
}

impl AdvisorError {
    /// Returns the kind of setting that is impossible.
    #[must_use]
    pub fn kind(&self) -> AdvisorErrorKind {
        self.kind
    }

    pub(crate) fn servers() -> Self {
        let message = "0 servers cannot hold a table: give at least 1";
        Self::new(AdvisorErrorKind::Servers, message)
    }

    pub(crate) fn tablets(tablets: u32) -> Self {
        let (tablets, most) = (Grouped(tablets.into()), Grouped(MOST_TABLETS));
        let message = format!("a table cannot have {tablets} tablets: give 1 to {most}");
        Self::new(AdvisorErrorKind::Tablets, message)
    }

    pub(crate) fn cells_per_row() -> Self {
        let message = "a row cannot have 0 cells: give at least 1";
        Self::new(AdvisorErrorKind::CellsPerRow, message)
    }

    fn new(kind: AdvisorErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }
}

impl fmt::Display for AdvisorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AdvisorError {}
