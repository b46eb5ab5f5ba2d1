//! The test whether counts are as even as chance would make them.

use libm::lgamma;
use serde::Serialize;

use crate::number::{float, float_len};

/// Minimum number of rows expected in each tablet for the chi-square distribution to be a fair
/// approximation: the textbook rule.
const MIN_EXPECTED: f64 = 5.0;

/// Pearson's chi-square test of the rows in each tablet against their expected shares.
///
/// # Examples
///
/// ```
/// use fluo_keys::ChiSquare;
///
/// let test = ChiSquare::new(&[60, 40], &[1, 1]).unwrap();
/// assert!(test.statistic == 4.0 && test.p_value > ChiSquare::MIN_P_VALUE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChiSquare {
    /// The statistic: the sum of `(count - expected)^2 / expected`.
    pub statistic: f64,
    /// The chance of a statistic at least this large if rows fall by the expected shares. One even
    /// table in a hundred has a p-value below 0.01; only one below
    /// [`MIN_P_VALUE`](Self::MIN_P_VALUE) is a sign of uneven rows.
    pub p_value: f64,
}

impl ChiSquare {
    /// The smallest p-value of chance: evenly hashed rows have a smaller one less than once in a
    /// million times.
    pub const MIN_P_VALUE: f64 = 1e-6;

    /// Tests counts against their expected shares, which are weights of any sum.
    ///
    /// The p-value is `Q((k - 1) / 2, statistic / 2)` with the regularized upper incomplete gamma
    /// function Q and k tablets. A tablet with a share of 0 is left out while it is empty; chance
    /// cannot put a row into it.
    ///
    /// Returns `None` if the test does not apply: there are fewer than two tablets, not as many
    /// shares as counts, or fewer than five rows are expected in one of the tablets.
    #[must_use]
    pub fn new(counts: &[u64], shares: &[u64]) -> Option<Self> {
        let (rows, whole) = (float(counts.iter().sum()), float(shares.iter().sum()));
        if counts.len() != shares.len() {
            return None;
        }
        let (possible, impossible): (Vec<_>, Vec<_>) =
            counts.iter().zip(shares).partition(|(_, share)| **share > 0);
        if impossible.iter().any(|(count, _)| **count > 0) {
            return Some(Self { statistic: f64::INFINITY, p_value: 0.0 });
        }
        if possible.len() < 2 {
            return None;
        }
        let mut statistic = 0.0;
        for &(&count, &share) in &possible {
            let expected = rows * float(share) / whole;
            if expected < MIN_EXPECTED {
                return None;
            }
            statistic += (float(count) - expected).powi(2) / expected;
        }
        let half_degrees_of_freedom = float_len(possible.len() - 1) / 2.0;
        let p_value = upper_gamma(half_degrees_of_freedom, statistic / 2.0);
        Some(Self { statistic, p_value })
    }
}

/// Returns the regularized upper incomplete gamma function Q of a positive `a` and an `x` from 0.
///
/// Below `a + 1` it is one less the series of the lower function (DLMF 8.7.1), above it the
/// continued fraction (DLMF 8.9.2) by the method of Lentz, which keeps its digits for a Q near 0.
fn upper_gamma(a: f64, x: f64) -> f64 {
    let scale = (a * x.ln() - x - lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut series, mut divisor) = (a.recip(), a.recip(), a);
        while term > series * f64::EPSILON {
            divisor += 1.0;
            term *= x / divisor;
            series += term;
        }
        return (1.0 - scale * series).max(0.0);
    }
    let mut denominator = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, denominator.recip());
    let mut fraction = d;
    for step in (1..100_000).map(f64::from) {
        let numerator = step * (a - step);
        denominator += 2.0;
        d = (numerator * d + denominator).recip();
        c = denominator + numerator / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    scale * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chi_square(counts: &[u64], shares: &[u64]) -> Option<(f64, f64)> {
        let test = ChiSquare::new(counts, shares)?;
        Some((test.statistic, test.p_value))
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    /// Values of mpmath's `gammainc`, with 30 digits.
    #[test]
    fn keeps_the_digits_of_a_tiny_or_a_wide_chance() {
        for (a, x, expected) in [
            (2.0, 294.444, 3.936_141_886_070_19e-126),
            (0.5, 0.1, 0.654_720_846_018_577),
            (10_000.0, 10_100.0, 0.158_651_249_552_82),
            (10_000.0, 9_900.0, 0.841_348_807_806_435),
        ] {
            let found = upper_gamma(a, x);
            assert!((found / expected - 1.0).abs() < 1e-8, "{a} {x}: {found:e}");
        }
    }

    /// Compares p-values with the tables of the chi-square distribution: 3.841 at 1 degree of
    /// freedom and 16.919 at 9 are p = 0.05.
    #[test]
    fn returns_the_p_values_of_the_tables() {
        // Two tablets, 100 rows, 50 expected each, off by d: the statistic is 2 d^2 / 50.
        let (statistic, p) = chi_square(&[60, 40], &[1, 1]).unwrap();
        assert!(close(statistic, 4.0) && (p - 0.045_500_26).abs() < 1e-7, "{statistic} {p}");
        // A fair die that is not: 5, 8, 9, 8, 10, 20 in 60 throws is the textbook's 13.4, p =
        // 0.0199.
        let (statistic, p) = chi_square(&[5, 8, 9, 8, 10, 20], &[1; 6]).unwrap();
        assert!(close(statistic, 13.4) && (p - 0.0199).abs() < 1e-4, "{statistic} {p}");
    }

    #[test]
    fn expects_counts_by_their_shares() {
        assert_eq!(chi_square(&[300, 100], &[3, 1]).unwrap(), (0.0, 1.0));
        assert!(chi_square(&[200, 200], &[3, 1]).unwrap().1 < 1e-20);
    }

    #[test]
    fn leaves_out_an_empty_tablet_with_a_share_of_0() {
        assert_eq!(chi_square(&[0, 60, 40], &[0, 1, 1]), chi_square(&[60, 40], &[1, 1]));
        assert_eq!(chi_square(&[1, 60, 40], &[0, 1, 1]).unwrap().1, 0.0);
        assert_eq!(chi_square(&[0, 60], &[0, 1]), None);
    }

    #[test]
    fn does_not_apply_to_too_few_rows_or_tablets() {
        assert_eq!(chi_square(&[], &[]), None);
        assert_eq!(chi_square(&[100], &[1]), None);
        assert_eq!(chi_square(&[0, 0], &[1, 1]), None);
        assert_eq!(chi_square(&[4, 4], &[1, 1]), None);
        assert!(chi_square(&[5, 5], &[1, 1]).is_some());
    }
}
