//! The bounds of options.

use std::fmt::Debug;
use std::ops::{Bound, RangeBounds};

use crate::data::Grouped;
use crate::{Error, Result};

/// Checks that the value of an option is within its bounds.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid), with the name, the value and the bounds.
///
/// # Examples
///
/// ```
/// use fluo_table::check_option;
///
/// assert!(check_option("tasks", 64, 1..=10_000).is_ok());
/// let error = check_option("tasks", 0, 1..).unwrap_err();
/// assert_eq!(error.to_string(), "option `tasks` is 0; it must be at least 1");
/// ```
pub fn check_option<T>(name: &str, value: T, bounds: impl RangeBounds<T>) -> Result<()>
where
    T: Copy + Debug + PartialOrd,
{
    if bounds.contains(&value) {
        return Ok(());
    }
    let text = |words, bound| match bound {
        Bound::Included(bound) => Some(format!("{words} {}", shown(bound))),
        Bound::Excluded(_) | Bound::Unbounded => None,
    };
    let limits = [text("at least", bounds.start_bound()), text("at most", bounds.end_bound())];
    let limits: Vec<_> = limits.into_iter().flatten().collect();
    Err(Error::invalid(format!(
        "option `{name}` is {}; it must be {}",
        shown(&value),
        limits.join(" and ")
    )))
}

/// Formats a value, with the digits of a whole number in groups.
fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    text.parse().map_or(text, |number| Grouped(number).to_string())
}
