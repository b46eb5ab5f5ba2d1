//! The limit of loads.

use serde::Serialize;

use crate::error::RecipeError;

/// The largest limit. Larger ones have no effect.
const MOST: f64 = 1e6;

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
        if (1.0..=MOST).contains(&max_skew) {
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
    /// Returns twice the mean.
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
            assert_eq!(
                message,
                format!(
                    "the largest skew is {wrong}; give a number from 1 to 1,000,000, such as 2"
                )
            );
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
