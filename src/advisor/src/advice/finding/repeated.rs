//! Keys that are equal, or share a part.

use std::fmt;

use fluo_table::{Bytes, Grouped};

use crate::formatting::{percent, plural, quoted};
use crate::number::count;

/// A finding about keys that are equal, or share a part.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RepeatedFinding {
    /// All keys begin with the same bytes.
    CommonPrefix(Bytes),
    /// One leading field has many of the keys.
    HotField {
        /// The field.
        field: Bytes,
        /// The least share of the keys that it can have.
        least: f64,
        /// The largest share of the keys that it can have.
        most: f64,
    },
    /// One row alone overloads a tablet.
    HotRow {
        /// The row.
        row: Bytes,
        /// Its share of the keys.
        share: f64,
        /// `true` if the share is counted and not estimated.
        is_exact: bool,
    },
    /// Keys that repeat another key.
    Duplicates {
        /// The least number of these keys.
        at_least: u64,
        /// The number of all keys.
        keys: u64,
        /// `true` if the least number is certain and not estimated.
        is_exact: bool,
    },
}

impl RepeatedFinding {
    pub(super) fn is_warning(&self) -> bool {
        !matches!(self, Self::CommonPrefix(_))
    }
}

impl fmt::Display for RepeatedFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommonPrefix(prefix) => {
                let distinguish = match prefix.len() {
                    1 => "1 byte that distinguishes".to_owned(),
                    some => format!("{} bytes that distinguish", Grouped(count(some))),
                };
                write!(
                    f,
                    "All keys begin with {}: {distinguish} no keys.",
                    quoted(prefix)
                )
            }
            Self::HotField { field, least, most } => write_hot_field(f, field, *least, *most),
            Self::HotRow {
                row,
                share,
                is_exact,
            } => write!(
                f,
                "One row, {}, has {}{} of the keys: no salt can spread one row, and one server \
                 takes all of its writes. Write it less often, or divide it into several rows.",
                quoted(row),
                if *is_exact { "" } else { "about " },
                percent(*share)
            ),
            Self::Duplicates {
                at_least,
                keys,
                is_exact,
            } => write!(
                f,
                "{}{} of {} repeat a key: they are one row. If each should be a row of its own, \
                 write with a condition, so that the second is rejected instead of lost.",
                if *is_exact {
                    ""
                } else {
                    "Very likely at least "
                },
                Grouped(*at_least),
                plural(*keys, "key")
            ),
        }
    }
}

fn write_hot_field(f: &mut fmt::Formatter<'_>, field: &[u8], least: f64, most: f64) -> fmt::Result {
    let (least, most) = (percent(least), percent(most));
    let share = if least == most {
        least
    } else {
        format!("{least} to {most}")
    };
    write!(
        f,
        "One leading field, {}, has {share} of the keys: a design that keeps a field together \
         keeps all of these in one tablet.",
        quoted(field)
    )
}
