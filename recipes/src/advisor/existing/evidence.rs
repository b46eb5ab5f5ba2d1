//! The share of keys that must agree with a design before that is no chance.
//!
//! A design is named only if both hold:
//!
//! - Chance gives such a share less than once in 2^64, by the bound of Chernoff and Hoeffding. Hundreds of designs are tried
//!   on a table, so a wrong one is named less than once in 2^54 tables.
//! - The share is eight times what chance gives, or half. Keys are not random, so the bound alone can err.
//!
//! Rows that share what is salted share a salt: such rows are counted once, by the share of them that agrees.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::quality::FixedState;

use crate::key_design::{DesignSettings, KeyDesign};
use crate::number::float_len;

/// Salts that agree are no chance from so many bits on: one in 2^64 for a design, of which some hundreds are tried.
const LEAST_BITS: f64 = 64.0;
/// The share of salts that agree is at least so many times that of chance,
const LEAST_OVER_CHANCE: f64 = 8.0;
/// or this share.
const ENOUGH: f64 = 0.5;
/// Keys that are looked at first: a design is dropped if fewer of them agree with it than twice what chance gives,
const LOOKED_AT_FIRST: usize = 24;
/// or than this share.
const MOST_AT_FIRST: f64 = 0.7;

/// Checks whether so many salts that agree, of so many tried, are no chance, where one agrees by chance `chance` times. Each
/// salt counts from 0 to 1.
///
/// The chance of at least `agree` of `tried` is at most `2^-(tried * D)`, where D is the relative entropy of their share
/// to `chance` in bits (Chernoff and Hoeffding).
pub(super) fn is_no_chance(agree: f64, tried: usize, chance: f64) -> bool {
    if agree <= 0.0 || chance >= 1.0 {
        return false;
    }
    let share = agree / float_len(tried.max(1));
    if share <= chance {
        return false;
    }
    let of = |share: f64, chance: f64| {
        if share <= 0.0 {
            0.0
        } else {
            share * (share / chance).log2()
        }
    };
    let bits = of(share, chance) + of(1.0 - share, 1.0 - chance);
    float_len(tried) * bits >= LEAST_BITS
}

/// The keys that agree with a design, of those that could.
pub(super) struct Agreement {
    /// The number of keys with a place for a salt of the design.
    pub(super) possible: usize,
    /// The number of those that have the salt of their row.
    pub(super) keys: usize,
}

impl Agreement {
    /// Returns how many keys agree with a design, if that is no chance.
    pub(super) fn of(settings: &DesignSettings, keys: &[&[u8]], chance: f64) -> Option<Self> {
        let design = KeyDesign::new(settings.clone()).ok()?;
        // Sorted keys that follow each other are alike: some from everywhere are looked at first.
        let step = keys.len().div_ceil(LOOKED_AT_FIRST).max(1);
        let first = keys.iter().step_by(step);
        let tried = float_len(first.len());
        let agree = first.filter(|key| design.remove(key).is_ok()).count();
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
            let agrees = design.remove(key).is_ok();
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
        (is_enough && is_no_chance(agree, parts.len(), chance)).then_some(agreement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 8 of 8 salts of one byte are 64 bits; 4 of 1,024 are what chance gives.
    #[test]
    fn agreement_beyond_chance_is_measured_in_bits() {
        let byte = 1.0 / 256.0;
        assert!(is_no_chance(8.0, 8, byte) && !is_no_chance(7.0, 7, byte));
        assert!(!is_no_chance(4.0, 1_024, byte));
        assert!(is_no_chance(60.0, 1_024, byte));
        assert!(!is_no_chance(0.0, 0, byte) && !is_no_chance(9.0, 9, 1.0));
    }
}
