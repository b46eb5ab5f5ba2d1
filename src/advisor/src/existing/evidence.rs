//! The share of keys that must agree with a design, so that it is not chance.
//!
//! A design is named only if the share is at least eight times the share that chance gives, or a
//! half, because keys are not random and a bound on chance alone can err. The bound is that of
//! Chernoff and Hoeffding:
//!
//! - **By the keys alone**, chance gives the share less than once in 2^64. Hundreds of designs are
//!   tried on a table, so a wrong one is named less than once in 2^54 tables.
//! - **In a table that is split at the design's own points**, chance gives it less than once in 8
//!   for all usual designs together that have these points. So a plain table of this form is
//!   called salted at most once in 8 times, and nearly all of its keys must agree.
//!
//! Rows that share a salted part share a salt. Such rows count as one, with the share of them that
//! agrees. So the rows of one tenant prove no salt of a few digits without the split points.

use std::collections::HashMap;
use std::hash::BuildHasher;

use fluo_keys::{DesignSettings, KeyDesign};
use foldhash::quality::FixedState;

use crate::number::float_len;

/// The least evidence in bits that rules out chance: one in 2^64 for each of some hundreds of
/// designs.
pub(super) const LEAST_BITS: f64 = 64.0;
/// The least evidence in bits for all tried designs together, in a table that is split at their
/// points.
pub(super) const LEAST_BITS_IF_SPLIT: f64 = 3.0;
/// The least share of agreeing salts, as a multiple of the share that chance gives.
const LEAST_OVER_CHANCE: f64 = 8.0;
/// The share of agreeing salts that is always sufficient.
const ENOUGH: f64 = 0.5;
/// The number of keys in a first check. A design is dropped if fewer of them agree than twice the
/// number that chance gives.
const LOOKED_AT_FIRST: usize = 24;
/// The share of agreeing keys that is always sufficient in the first check.
const MOST_AT_FIRST: f64 = 0.7;

/// Checks whether this many agreeing salts, of this many tried, rule out chance, if one agrees by
/// chance with the probability `chance`. Each salt counts from 0 to 1.
///
/// The probability of at least `agree` of `tried` is at most `2^-(tried * D)`, where D is the
/// relative entropy of their share to `chance` in bits (Chernoff and Hoeffding).
pub(super) fn is_no_chance(agree: f64, tried: usize, chance: f64) -> bool {
    evidence(agree, tried, chance) >= LEAST_BITS
}

/// Returns the evidence of agreeing salts against chance, in bits.
fn evidence(agree: f64, tried: usize, chance: f64) -> f64 {
    if agree <= 0.0 || chance >= 1.0 {
        return 0.0;
    }
    let share = agree / float_len(tried.max(1));
    if share <= chance {
        return 0.0;
    }
    let of = |share: f64, chance: f64| {
        if share <= 0.0 {
            0.0
        } else {
            share * (share / chance).log2()
        }
    };
    let bits = of(share, chance) + of(1.0 - share, 1.0 - chance);
    float_len(tried) * bits
}

/// The keys that agree with a design, out of those that have a place for its salt.
pub(super) struct Agreement {
    /// The number of keys with a place for a salt of the design.
    pub(super) possible: usize,
    /// The number of those that have the salt of their row.
    pub(super) keys: usize,
}

impl Agreement {
    /// Counts the keys that agree with a design; `None` if there is less evidence than `least`, in
    /// bits.
    pub(super) fn new(
        settings: &DesignSettings,
        keys: &[&[u8]],
        chance: f64,
        least: f64,
    ) -> Option<Self> {
        let design = KeyDesign::new(settings.clone()).ok()?;
        // Neighbours in sorted keys are alike, so the first check takes keys from everywhere.
        let step = keys.len().div_ceil(LOOKED_AT_FIRST).max(1);
        let first = keys.iter().step_by(step);
        let tried = float_len(first.len());
        let agree = first.filter(|key| design.decode_key(key).is_ok()).count();
        if float_len(agree) < (tried * (2.0 * chance).min(MOST_AT_FIRST)).max(1.0) {
            return None;
        }
        let mut agreement = Self {
            possible: 0,
            keys: 0,
        };
        let mut parts: HashMap<u64, (usize, usize)> = HashMap::new();
        for key in keys {
            let Ok(row) = design.row_behind_salt(key) else {
                continue;
            };
            let agrees = design.decode_key(key).is_ok();
            agreement.possible += 1;
            agreement.keys += usize::from(agrees);
            let Ok(Some(part)) = design.salted_part(&row) else {
                continue;
            };
            let part = FixedState::default().hash_one(part.as_ref());
            let (of_part, agree) = parts.entry(part).or_default();
            *of_part += 1;
            *agree += usize::from(agrees);
        }
        let shares = parts
            .values()
            .map(|(of_part, agree)| float_len(*agree) / float_len(*of_part));
        let agree: f64 = shares.sum();
        let is_enough = agree >= float_len(parts.len()) * (LEAST_OVER_CHANCE * chance).min(ENOUGH);
        (is_enough && evidence(agree, parts.len(), chance) >= least).then_some(agreement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 8 of 8 salts of one byte are 64 bits; chance gives 4 of 1,024.
    #[test]
    fn measures_agreement_beyond_chance_in_bits() {
        let byte = 1.0 / 256.0;
        assert!(is_no_chance(8.0, 8, byte) && !is_no_chance(7.0, 7, byte));
        assert!(!is_no_chance(4.0, 1_024, byte));
        assert!(is_no_chance(60.0, 1_024, byte));
        assert!(!is_no_chance(0.0, 0, byte) && !is_no_chance(9.0, 9, 1.0));
    }
}
