//! The error type of the advisor.

use std::fmt;

use fluo_table::Grouped;

pub(crate) const MAX_TABLETS: u64 = 65_536;

/// An option that is impossible for a table. Its message says what would be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdvisorError {
    /// No servers.
    Servers,
    /// An impossible number of tablets.
    Tablets(u32),
}

impl fmt::Display for AdvisorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Servers => f.write_str("0 servers cannot hold a table: give at least 1"),
            Self::Tablets(tablets) => {
                let (tablets, most) = (Grouped((*tablets).into()), Grouped(MAX_TABLETS));
                write!(f, "a table cannot have {tablets} tablets: give 1 to {most}")
            }
        }
    }
}

impl std::error::Error for AdvisorError {}
