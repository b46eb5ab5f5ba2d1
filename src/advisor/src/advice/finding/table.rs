//! The size of the table of the keys, and the size that the advice is for.

use std::fmt;

use crate::formatting::plural;

/// A finding about the size of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFinding {
    /// The size of the table of the keys.
    Size {
        /// The number of tablets.
        tablets: u64,
        /// The number of servers.
        servers: u32,
    },
    /// The advice is for another number of servers than the table has.
    OtherServers {
        /// The requested number.
        requested: u32,
        /// The number of servers of the table.
        of_table: u32,
    },
    /// The advice is for another number of tablets than the table has.
    OtherTablets {
        /// The requested number.
        requested: u32,
        /// The number of tablets of the table.
        of_table: u64,
    },
}

impl fmt::Display for TableFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { tablets, servers } => write!(
                f,
                "The table has {} on {}.",
                plural(*tablets, "tablet"),
                plural((*servers).into(), "server")
            ),
            Self::OtherServers {
                requested,
                of_table,
            } => write!(
                f,
                "The advice is for {}, as requested, and not for the {} of the table.",
                plural((*requested).into(), "server"),
                plural((*of_table).into(), "server")
            ),
            Self::OtherTablets {
                requested,
                of_table,
            } => write!(
                f,
                "The advice is for {} of each design, as requested, and not for the {} of the \
                 table.",
                plural((*requested).into(), "tablet"),
                plural(*of_table, "tablet")
            ),
        }
    }
}
