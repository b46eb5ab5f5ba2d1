//! Confidence intervals for the share of a tablet, from a sample of the keys.

use serde::Serialize;
use statrs::function::erf::erf_inv;

use crate::number::{float, float_len};

/// The chance that an interval misses the true share, over all tablets of a design together.
const MISSES: f64 = 0.05;

/// A figure with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The figure of the sample.
    pub value: f64,
    /// The lower bound of the true figure.
    pub low: f64,
    /// The upper bound of the true figure.
    pub high: f64,
}

impl Estimate {
    /// Returns the largest share of a tablet, if the fullest of `tablets` tablets has `count` of
    /// the sample's keys.
    ///
    /// The bounds are Wilson's score interval at the level `1 - 0.05 / tablets`, so that the
    /// intervals of all tablets hold together (Bonferroni). The largest true share is then in the
    /// interval of the fullest tablet. With p for the share, n for the sample and z for the
    /// two-sided normal quantile of the level, the bounds are
    /// `(p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)`. A complete sample
    /// gives the exact share.
    pub(super) fn for_largest_share(
        count: u64,
        sample: u64,
        tablets: usize,
        is_complete: bool,
    ) -> Self {
        if sample == 0 {
            return Self {
                value: 0.0,
                low: 0.0,
                high: 1.0,
            };
        }
        let (n, share) = (float(sample), float(count) / float(sample));
        if is_complete {
            return Self {
                value: share,
                low: share,
                high: share,
            };
        }
        let level = 1.0 - MISSES / float_len(tablets.max(1));
        let z_squared = (std::f64::consts::SQRT_2 * erf_inv(level)).powi(2);
        let middle = share + z_squared / (2.0 * n);
        let spread = (z_squared * (share * (1.0 - share) / n + z_squared / (4.0 * n * n))).sqrt();
        let whole = 1.0 + z_squared / n;
        Self {
            value: share,
            low: ((middle - spread) / whole).max(0.0),
            high: ((middle + spread) / whole).min(1.0),
        }
    }

    /// Returns the figure and its bounds, multiplied by a factor.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
        }
    }

    /// Returns the estimate of a figure that is at least 1 by definition, such as the largest of
    /// some numbers over their mean: the lower bound is raised to 1.
    pub(super) fn not_below_one(self) -> Self {
        Self {
            low: self.low.max(1.0).min(self.value),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-5, "{found} is not {expected}");
    }

    /// The example of the textbook: 10 of 20 at 95 % is 0.2993 to 0.7007; 0 of 10 is 0 to 0.2775.
    #[test]
    fn one_tablet_has_wilsons_interval() {
        let half = Estimate::for_largest_share(10, 20, 1, false);
        close(half.low, 0.2993);
        close(half.high, 0.7007);
        let none = Estimate::for_largest_share(0, 10, 1, false);
        close(none.low, 0.0);
        close(none.high, 0.2775);
    }

    /// By the formula, the fullest of 4 tablets has 0.98 to 1.02 times the mean, but it never has
    /// less than the mean.
    #[test]
    fn the_largest_over_the_mean_is_not_below_one() {
        let even = Estimate::for_largest_share(16_384, 65_536, 4, false).times(4.0);
        assert!(even.low < 0.99 && even.high > 1.01, "{even:?}");
        let even = even.not_below_one();
        close(even.low, 1.0);
        close(even.value, 1.0);
        let full = Estimate::for_largest_share(60_000, 65_536, 4, false).times(4.0);
        assert_eq!(full.not_below_one(), full);
        // No keys give no information.
        close(
            Estimate::for_largest_share(0, 0, 4, false)
                .not_below_one()
                .low,
            0.0,
        );
    }

    #[test]
    fn many_tablets_widen_the_interval_and_a_complete_sample_closes_it() {
        let one = Estimate::for_largest_share(100, 1_000, 1, false);
        let many = Estimate::for_largest_share(100, 1_000, 100, false);
        assert!(many.low < one.low && one.high < many.high);
        let known = Estimate::for_largest_share(100, 1_000, 100, true).times(100.0);
        close(known.low, 10.0);
        close(known.high, 10.0);
        assert!((Estimate::for_largest_share(0, 0, 3, true).high - 1.0).abs() < 1e-9);
    }
}
