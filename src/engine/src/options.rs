//! The pattern of all options: their defaults, setters and bounds in one place.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The bounds of a pause or a time limit: from the resolution of the timers to 365 days, because
/// an `Instant` cannot represent all later times.
pub(crate) const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(365 * 24 * 3_600);

/// Defines a structure of options with their defaults, a setter for each, and `check`. The setters
/// are methods of the type after `set on`, which has the options in the named field. A pause that
/// grows must not begin above its maximum.
macro_rules! options {
    (
        $(#[$of:meta])*
        $visibility:vis struct $options:ident set on $owner:ident $field:tt {
            $($(#[$doc:meta])* $name:ident: $type:ty = $default:expr, in $bounds:expr;)*
        }
        $(growing $first:ident to $longest:ident;)*
    ) => {
        $(#[$of])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $visibility struct $options {
            $(pub(crate) $name: $type,)*
        }

        impl Default for $options {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl $options {
            /// Rejects the first option that is out of its bounds.
            pub(crate) fn check(&self) -> fluo_table::Result<()> {
                $(fluo_table::check_option(stringify!($name), self.$name, $bounds)?;)*
                $(if self.$longest < self.$first {
                    return Err(fluo_table::Error::invalid(format!(
                        "option `{}` is {:?}; it must be at least `{}`, which is {:?}",
                        stringify!($longest), self.$longest, stringify!($first), self.$first
                    )));
                })*
                Ok(())
            }
        }

        impl $owner {
            $(
                $(#[$doc])*
                pub fn $name(mut self, $name: $type) -> Self {
                    $crate::options::options!(@of self $field).$name = $name;
                    self
                }
            )*
        }
    };
    (@of $owner:ident [$($field:tt)*]) => { $owner$($field)* };
}

pub(crate) use options;
