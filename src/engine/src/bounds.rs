//! The bounds of options.

use std::fmt::Debug;
use std::ops::{Bound, RangeBounds, RangeInclusive};
use std::time::Duration;

use fluo_table::{Error, Result};

/// The bounds of a pause or a time limit: from the resolution of the timers to 365 days, because
/// an `Instant` cannot represent all later times.
pub(crate) const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(365 * 24 * 3_600);

/// Checks that the value of an option is within its bounds.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid), with the name, the value and the bounds.
pub(crate) fn within<T>(name: &str, value: T, bounds: impl RangeBounds<T>) -> Result<()>
where
    T: Copy + Debug + PartialOrd,
{
    if bounds.contains(&value) {
        return Ok(());
    }
    let text = |words, bound| match bound {
        Bound::Included(bound) => Some(format!("{words} {bound:?}")),
        Bound::Excluded(_) | Bound::Unbounded => None,
    };
    let limits = [
        text("at least", bounds.start_bound()),
        text("at most", bounds.end_bound()),
    ];
    let limits: Vec<_> = limits.into_iter().flatten().collect();
    Err(Error::invalid(format!(
        "option `{name}` is {value:?}; it must be {}",
        limits.join(" and ")
    )))
}

/// Checks that a growing pause is within its bounds, and that it does not begin above its maximum.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for the first option that does not fit.
pub(crate) fn growing(
    (first_name, first): (&str, Duration),
    (longest_name, longest): (&str, Duration),
) -> Result<()> {
    within(first_name, first, DURATIONS)?;
    within(longest_name, longest, DURATIONS)?;
    if longest < first {
        return Err(Error::invalid(format!(
            "option `{longest_name}` is {longest:?}; it must be at least `{first_name}`, which is {first:?}"
        )));
    }
    Ok(())
}
