//! The scans that a design allows.

use std::fmt;

use fluo_table::counted;
use serde::Serialize;

use super::row_selection::RowSelection;

/// Maximum number of ranges that one read is fanned out over. With more, a scan costs more than
/// reading the whole table.
pub(crate) const MAX_RANGES: u64 = 65_536;

/// The cost of a read: the number of ranges of the table that it scans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "cost", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ScanCost {
    /// One contiguous range.
    SingleRange,
    /// At most this number of ranges, one for each salt that can hold a row.
    FanOut {
        /// The maximum number of ranges.
        ranges: u64,
    },
    /// At most this number of ranges, but only for the sets of rows that `only` describes. Other
    /// sets are read as that text says, or are rejected.
    Limited {
        /// The maximum number of ranges for one of those sets.
        ranges: u64,
        /// A description of those sets.
        only: String,
    },
    /// The design does not support the read.
    Unsupported {
        /// The reason, and the alternative.
        reason: String,
    },
}

impl ScanCost {
    /// Returns the cost of sets of the kind of this one, if rows are stored in their own order.
    pub(super) fn usual(rows: &RowSelection) -> Self {
        Self::unsupported(match rows {
            RowSelection::Domain { .. } => "only a web table stores domains",
            RowSelection::Suffix(_) => {
                "rows with one suffix are scattered; use the design `reversed`"
            }
            RowSelection::Between { .. } => {
                "rows have no parts; use the design `composite` or `reverse-time`"
            }
            _ => return Self::SingleRange,
        })
    }

    pub(super) fn only(only: impl Into<String>) -> Self {
        Self::Limited { ranges: 1, only: only.into() }
    }

    pub(super) fn unsupported(reason: impl Into<String>) -> Self {
        Self::Unsupported { reason: reason.into() }
    }

    /// Returns the maximum number of ranges of each such read, or `None` if the design does not
    /// support all of them.
    pub fn ranges(&self) -> Option<u64> {
        match self {
            Self::SingleRange => Some(1),
            Self::FanOut { ranges } => Some(*ranges),
            Self::Limited { .. } | Self::Unsupported { .. } => None,
        }
    }

    /// Returns the cost if each range is cut into one for each of these salts.
    pub(super) fn times(self, salts: u64) -> Self {
        match self {
            Self::SingleRange if salts > 1 => Self::FanOut { ranges: salts },
            Self::Limited { only, ranges } => Self::Limited { ranges: ranges * salts, only },
            other => other,
        }
    }
}

impl fmt::Display for ScanCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SingleRange => f.write_str("one range"),
            Self::FanOut { ranges } => write!(f, "up to {}", counted(*ranges, "range")),
            Self::Limited { ranges: 1, only } => write!(f, "one range, but only {only}"),
            Self::Limited { ranges, only } => {
                write!(f, "up to {}, but only {only}", counted(*ranges, "range"))
            }
            Self::Unsupported { reason } => write!(f, "unsupported: {reason}"),
        }
    }
}

/// The order in which a scan of one range, or a merged scan of all ranges, yields rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyOrder {
    /// The byte order of the user's rows.
    Rows,
    /// The byte order of the rows read backwards.
    ReversedRows,
    /// By the entity of the row, and within one entity the newest first.
    NewestFirst,
    /// The newest first, over all rows.
    NewestFirstOfAll,
    /// Field by field, each in its own direction.
    Fields,
    /// By domain read from its top level down, then by path.
    Domains,
}

impl fmt::Display for KeyOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "the order of the rows",
            Self::ReversedRows => "the order of the rows read backwards",
            Self::NewestFirst => "by entity, the newest first",
            Self::NewestFirstOfAll => "the newest first",
            Self::Fields => "field by field",
            Self::Domains => "by domain from the top level down, then by path",
        })
    }
}

/// The reads that a table with keys of a design allows, and their cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scans {
    /// One row whose bytes are known.
    pub by_row: ScanCost,
    /// All rows with a known prefix.
    pub by_prefix: ScanCost,
    /// All rows between two, in byte order.
    pub by_range: ScanCost,
    /// All rows with a known suffix.
    pub by_suffix: ScanCost,
    /// All rows with given leading parts, and with a next part between two values.
    pub between: ScanCost,
    /// All pages of a domain, in a [web table](crate::WebTable).
    pub by_domain: ScanCost,
    /// The order in which rows are yielded.
    pub order: KeyOrder,
}
