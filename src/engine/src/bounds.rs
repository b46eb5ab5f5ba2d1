//! The bounds of durations.

use std::ops::RangeInclusive;
use std::time::Duration;

use fluo_table::{Error, Result, check_option};

/// The bounds of a pause or a time limit: from the resolution of the timers to 365 days, because
/// an `Instant` cannot represent all later times.
pub(crate) const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(365 * 24 * 3_600);

/// Checks that a growing pause is within its bounds, and that it does not begin above its maximum.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for the first option that does not fit.
pub(crate) fn growing(
    (first_name, first): (&str, Duration),
    (longest_name, longest): (&str, Duration),
) -> Result<()> {
    check_option(first_name, first, DURATIONS)?;
    check_option(longest_name, longest, DURATIONS)?;
    if longest < first {
        return Err(Error::invalid(format!(
            "option `{longest_name}` is {longest:?}; it must be at least `{first_name}`, which is {first:?}"
        )));
    }
    Ok(())
}
