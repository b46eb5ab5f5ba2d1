//! The options of a verification.

use fluo_table::Authorizations;
use serde::Serialize;

use crate::error::RecipeError;

/// The options of [`TableOptimizations::verify`](crate::TableOptimizations::verify).
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct VerifyOptions {
    pub(super) allow_extra_splits: bool,
    pub(super) allow_other_rows: bool,
    pub(super) rows: RowCounting,
    pub(super) authorizations: Authorizations,
    pub(super) max_skew: MaxSkew,
    pub(super) require_rows: bool,
}

impl VerifyOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether split points that no recipe requests are accepted. Default: no.
    pub fn allow_extra_splits(self, allow: bool) -> Self {
        Self { allow_extra_splits: allow, ..self }
    }

    /// Sets whether rows that belong to no recipe are accepted, unless a tablet holds too many of
    /// them. Default: no.
    pub fn allow_other_rows(self, allow: bool) -> Self {
        Self { allow_other_rows: allow, ..self }
    }

    /// Sets the way to count rows. Default: by reading them, if the table has at most ten million
    /// entries.
    pub fn rows(self, rows: RowCounting) -> Self {
        Self { rows, ..self }
    }

    /// Sets the authorizations of the counting scan. Rows all of whose cells need others are not
    /// counted. Default: none.
    pub fn authorizations(self, authorizations: Authorizations) -> Self {
        Self { authorizations, ..self }
    }

    /// Sets the maximum load of the fullest tablet of a recipe, and of the fullest server, as a
    /// multiple of the mean. A limit above the number of servers accepts that one has everything.
    /// Default: 2.
    pub fn max_skew(self, max_skew: MaxSkew) -> Self {
        Self { max_skew, ..self }
    }

    /// Sets whether the verdict fails without enough rows to prove that they are spread evenly: the
    /// table or a recipe has none, there are fewer than would show a tablet that is too full, or
    /// rows are not counted. Default: no.
    pub fn require_rows(self, require: bool) -> Self {
        Self { require_rows: require, ..self }
    }
}

/// The way in which [`verify`](crate::TableOptimizations::verify) counts rows. To count them, it
/// reads the first cell of every row; otherwise it uses the tablets' own counts of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCounting {
    /// Counts rows if the tablets together have at most this many entries.
    UpTo(u64),
    /// Counts rows.
    All,
    /// Counts rows if the tablets' own counts of entries show a tablet or a server that is too
    /// full, and are together at most this many. Entries of deleted cells belong to no row, so
    /// entries alone can show a skew that rows do not have.
    IfUneven(u64),
    /// Counts no rows.
    Skip,
}

impl Default for RowCounting {
    /// Returns `UpTo` ten million entries, which takes seconds on an embedded table.
    fn default() -> Self {
        Self::UpTo(10_000_000)
    }
}

/// The largest accepted skew: the maximum load of the fullest tablet or server, as a multiple of
/// the mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct MaxSkew(f64);

impl MaxSkew {
    /// Creates a limit.
    ///
    /// # Errors
    ///
    /// [`Settings`](crate::RecipeErrorKind::Settings): the number is below 1 (the fullest place
    /// holds at least the mean) or above 1,000,000.
    pub fn new(max_skew: f64) -> Result<Self, RecipeError> {
        if (1.0..=1e6).contains(&max_skew) {
            Ok(Self(max_skew))
        } else {
            Err(RecipeError::settings(format!(
                "the largest skew is {max_skew}; give a number from 1 to 1,000,000, such as 2"
            )))
        }
    }

    /// Returns the limit as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the largest accepted share of a place that has `share` by design.
    ///
    /// No place of two can have more than twice an even share. So a limit beyond the midpoint
    /// between the share by design and all is reduced to that midpoint, or to the multiple of the
    /// mean of the *other* places if that is more.
    pub(super) fn of_share(self, share: f64) -> f64 {
        let half_way = f64::midpoint(share, 1.0);
        let of_the_others = self.0 * share / (self.0 * share + 1.0 - share);
        (self.0 * share).min(half_way.max(of_the_others))
    }
}

impl Default for MaxSkew {
    fn default() -> Self {
        Self(2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_numbers_below_1() {
        for wrong in [0.99, -1.0, f64::NAN, f64::INFINITY] {
            let message = MaxSkew::new(wrong).unwrap_err().to_string();
            let limits = "give a number from 1 to 1,000,000, such as 2";
            assert_eq!(message, format!("the largest skew is {wrong}; {limits}"));
        }
        assert!(MaxSkew::new(1.0).is_ok());
    }

    /// Covers a bug: the limit 6 was stricter than the limit 3 for four tablets.
    #[test]
    fn a_larger_limit_is_never_stricter() {
        for places in 2..50 {
            let share = 1.0 / f64::from(places);
            let limit = |tenths: u32| MaxSkew(f64::from(tenths) / 10.0).of_share(share);
            for tenths in 10..2_000 {
                assert!(limit(tenths) <= limit(tenths + 1) + 1e-9, "{tenths} tenths of {places}");
            }
        }
    }
}
