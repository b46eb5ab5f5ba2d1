//! The advised number of tablets, and its reason.

use std::fmt;

use fluo_table::Grouped;
use serde::{Serialize, Serializer};

use crate::error::MOST_TABLETS;
use crate::formatting::{bytes, plural};

/// The number of tablets for each server: if a server fails, several others take over its tablets,
/// and a quarter of the load of a server can be moved.
const TABLETS_PER_SERVER: u64 = 4;
/// The assumed number of rows a second for one tablet. Measure yours, and set the number of
/// tablets.
const ROWS_PER_TABLET: u64 = 5_000;
/// The size of a tablet: Accumulo's default of `table.split.threshold`, above which it splits a
/// tablet.
const BYTES_PER_TABLET: u64 = 1 << 30;

/// A number of tablets, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TabletAdvice {
    /// The number of tablets.
    pub tablets: u32,
    /// The reason for the number.
    pub reason: TabletReason,
}

/// The reason for a number of tablets.
///
/// [`Display`](fmt::Display) writes it as a sentence, which is its serialized form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TabletReason {
    /// The settings ask for this number.
    Requested(u64),
    /// The table has this number.
    OfTable(u64),
    /// The table has this number for the recipes of its rows.
    OfRecipes(u64),
    /// The table has this number for plain rows, and does not show where new rows will go.
    OfPlainRows(u64),
    /// The table has this number for keys that spread by themselves.
    OfSpreadKeys(u64),
    /// The largest demand of servers, rate and size.
    Demand(TabletDemand),
    /// The reason for the tablets of each recipe.
    ForEachRecipe(Box<TabletReason>),
}

/// The demand for tablets by servers, rate and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TabletDemand {
    /// The number of tablets: the largest demand, rounded up to a multiple of the servers, and at
    /// most 65,536.
    pub tablets: u64,
    /// The number of servers.
    pub servers: u32,
    /// The number of rows to write in a second, if it is known.
    pub rows_per_second: Option<u64>,
    /// The size of the table in bytes, if it is known.
    pub table_bytes: Option<u64>,
}

impl TabletDemand {
    /// Computes the demand of at least one server.
    pub(super) fn new(
        servers: u32,
        rows_per_second: Option<u64>,
        table_bytes: Option<u64>,
    ) -> Self {
        let mut demand = Self {
            tablets: 0,
            servers,
            rows_per_second,
            table_bytes,
        };
        let servers = u64::from(servers);
        let rounded = demand
            .largest()
            .min(MOST_TABLETS)
            .div_ceil(servers)
            .saturating_mul(servers);
        demand.tablets = rounded.min(MOST_TABLETS);
        demand
    }

    /// Returns the number of tablets that the servers ask for: 4 each.
    #[must_use]
    pub fn for_servers(&self) -> u64 {
        u64::from(self.servers) * TABLETS_PER_SERVER
    }

    /// Returns the number of tablets that the rate asks for: one for each 5,000 rows a second.
    #[must_use]
    pub fn for_rows(&self) -> u64 {
        self.rows_per_second.unwrap_or(0).div_ceil(ROWS_PER_TABLET)
    }

    /// Returns the number of tablets that the size asks for: one for each GiB.
    #[must_use]
    pub fn for_bytes(&self) -> u64 {
        self.table_bytes.unwrap_or(0).div_ceil(BYTES_PER_TABLET)
    }

    fn largest(&self) -> u64 {
        self.for_servers()
            .max(self.for_rows())
            .max(self.for_bytes())
    }

    fn is_capped(&self) -> bool {
        self.largest() > self.tablets || !self.tablets.is_multiple_of(self.servers.into())
    }
}

impl Serialize for TabletReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for TabletReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tablets, source) = match self {
            Self::Requested(tablets) => (tablets, "as requested."),
            Self::OfTable(tablets) => (tablets, "as the table has."),
            Self::OfRecipes(tablets) => (tablets, "as the table has for them."),
            Self::OfPlainRows(tablets) => (
                tablets,
                "as the table has. A table does not show where new rows will go: if their keys \
                 ascend, as times and counters do, all of them go to one tablet. A file of keys in \
                 their order of arrival shows it.",
            ),
            Self::OfSpreadKeys(tablets) => (
                tablets,
                "as the table has. Keys that spread by themselves can be split anywhere.",
            ),
            Self::Demand(demand) => return demand.fmt(f),
            Self::ForEachRecipe(reason) => return write!(f, "For each recipe {reason}"),
        };
        write!(f, "{}, {source}", plural(*tablets, "tablet"))
    }
}

impl fmt::Display for TabletDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tablets = plural(self.tablets, "tablet");
        let is_capped = self.is_capped();
        if is_capped {
            write!(f, "{tablets}, the maximum: the largest of ")?;
        } else {
            write!(f, "{tablets}: the largest of ")?;
        }
        write!(
            f,
            "{} for {} at {TABLETS_PER_SERVER} each",
            Grouped(self.for_servers()),
            plural(self.servers.into(), "server")
        )?;
        if let Some(rows) = self.rows_per_second {
            let (tablets, rows) = (Grouped(self.for_rows()), Grouped(rows));
            write!(
                f,
                ", {tablets} for {rows} rows/s at {} each",
                Grouped(ROWS_PER_TABLET)
            )?;
        }
        if let Some(size) = self.table_bytes {
            let tablets = Grouped(self.for_bytes());
            write!(f, ", {tablets} for {} at 1 GiB each", bytes(size))?;
        }
        f.write_str(if is_capped {
            " would be more."
        } else {
            ", rounded up to a multiple of the servers."
        })
    }
}
