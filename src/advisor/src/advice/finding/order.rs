//! The order in which keys arrive.

use std::fmt;

use crate::OrderProfile;
use crate::formatting::percent;

/// The share of keys greater than the one before from which keys are ascending.
pub(in crate::advice) const ASCENDING: f64 = 0.9;
/// The share of late keys beyond all before from which new keys go to an end of the table.
const AT_THE_END: f64 = 0.01;

/// A finding about the order of arrival.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OrderFinding {
    /// The order of arrival is unknown.
    Unknown,
    /// Keys arrive in ascending order.
    Ascending(OrderProfile),
    /// Keys arrive in descending order.
    Descending(OrderProfile),
    /// Keys arrive partly in order.
    Partly(OrderProfile),
    /// Keys arrive in random order.
    Random(OrderProfile),
    /// The keys are sorted without exception, perhaps because the file was sorted.
    Sorted,
}

impl OrderFinding {
    pub(super) fn is_warning(&self) -> bool {
        matches!(self, Self::Ascending(_) | Self::Descending(_))
    }
}

impl fmt::Display for OrderFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str(
                "The keys are not in their order of arrival, so the place of new keys is unknown.",
            ),
            Self::Ascending(order) => write!(
                f,
                "Keys {} in their order of arrival ({} are greater than the one before, rank \
                 correlation {:.3}; {} are greater than all before): without a salt, new rows go \
                 to {}.",
                in_a_direction(order.ascending, "ascend"),
                percent(order.ascending),
                order.rank_correlation,
                percent(order.new_maxima),
                place_of_new(order.late_maxima, "the end")
            ),
            Self::Descending(order) => write!(
                f,
                "Keys {} in their order of arrival ({} are less than the one before, rank \
                 correlation {:.3}; {} are less than all before): without a salt, new rows go to \
                 {}.",
                in_a_direction(order.descending(), "descend"),
                percent(order.descending()),
                order.rank_correlation,
                percent(order.new_minima),
                place_of_new(order.late_minima, "the front")
            ),
            Self::Partly(order) => write!(
                f,
                "Keys arrive partly in order: {} are greater than the one before, {} greater than \
                 all before, rank correlation {:.3} (+- {:.3}).",
                percent(order.ascending),
                percent(order.new_maxima),
                order.rank_correlation,
                order.rank_correlation_error
            ),
            Self::Random(order) => write!(
                f,
                "Keys arrive in random order: {} are greater than the one before, rank correlation \
                 {:.3} (+- {:.3}).",
                percent(order.ascending),
                order.rank_correlation,
                order.rank_correlation_error
            ),
            Self::Sorted => f.write_str(
                "The keys are sorted, without exception. If that is the order of the file and not \
                 of writing, as after `sort` or in an export, the advice for unordered keys may \
                 differ.",
            ),
        }
    }
}

/// Returns the words for keys of which this share goes in one direction. For a smaller share, only
/// the correlation shows the direction.
fn in_a_direction(share: f64, verb: &str) -> String {
    if share >= ASCENDING {
        verb.to_owned()
    } else {
        format!("{verb} on the whole, but not from one to the next,")
    }
}

/// Returns the place of new rows, of which this share is beyond all before.
fn place_of_new(beyond_all: f64, end: &str) -> String {
    if beyond_all < AT_THE_END {
        "one place at a time, which moves through the table: the server of that place takes all of \
         them"
            .to_owned()
    } else {
        format!("{end} of the table, where one server takes all of them")
    }
}
