//! The share of keys that must agree with a design, so that it is not chance.
//!
//! A design is recognized if at least half of the keys agree with it, and chance gives that many
//! less than once in 2^64. If the table is split at the design's own points, or the caller names
//! the design, once in 8 suffices for all such designs together: a plain table of this form is
//! called salted at most once in 8 times. The bound on chance is that of Chernoff and Hoeffding. A
//! salt that is drawn cannot be computed again, so the caller must name its design.
//!
//! Rows that share a salted part share a salt. Such rows count as one, with the share of them that
//! agrees. So the rows of one tenant prove no salt of a few digits by themselves.

use std::collections::HashMap;
use std::hash::BuildHasher;

use fluo_keys::KeyDesign;
use fluo_keys::number::float_len;
use foldhash::quality::FixedState;

/// The least evidence in bits that rules out chance: one in 2^64 for each of some hundreds of
/// designs.
pub(super) const MIN_BITS: f64 = 64.0;
/// The least evidence in bits for all designs together that the split points or the caller show.
pub(super) const MIN_BITS_IF_SHOWN: f64 = 3.0;
/// The number of keys in a first check. A design is dropped if less than a quarter of them agree.
const LOOKED_AT_FIRST: usize = 24;

/// Returns the evidence against chance in bits, if this many of the tried salts agree, and one
/// agrees by chance with the probability `chance`. Each salt counts from 0 to 1.
///
/// The probability of at least `agree` of `tried` is at most `2^-(tried * D)`, where D is the
/// relative entropy of their share to `chance` in bits.
pub(super) fn bits(agree: f64, tried: usize, chance: f64) -> f64 {
    let share = agree / float_len(tried.max(1));
    if share <= chance || chance >= 1.0 {
        return 0.0;
    }
    let part = |share: f64, chance: f64| {
        if share > 0.0 { share * (share / chance).log2() } else { 0.0 }
    };
    float_len(tried) * (part(share, chance) + part(1.0 - share, 1.0 - chance))
}

/// Returns the number of keys that agree with a design; `None` if that may be chance.
pub(super) fn agreeing(
    design: &KeyDesign,
    keys: &[&[u8]],
    chance: f64,
    least_bits: f64,
) -> Option<usize> {
    // Neighbors in sorted keys are alike, so the first check takes keys from everywhere.
    let step = keys.len().div_ceil(LOOKED_AT_FIRST).max(1);
    let first = keys.iter().step_by(step);
    let tried = first.len();
    if first.filter(|key| design.decode_key(key).is_ok()).count() * 4 < tried {
        return None;
    }
    let mut agreeing = 0;
    let mut parts: HashMap<u64, (usize, usize)> = HashMap::new();
    for key in keys {
        let agrees = usize::from(design.decode_key(key).is_ok());
        agreeing += agrees;
        let row = design.row_behind_salt(key).ok();
        let part = row.as_ref().and_then(|row| design.salted_part(row).ok()?);
        if let Some(part) = part {
            let part = FixedState::default().hash_one(part.as_ref());
            let (all, agree) = parts.entry(part).or_default();
            *all += 1;
            *agree += agrees;
        }
    }
    let agree = parts.values().map(|(all, agree)| float_len(*agree) / float_len(*all));
    let is_proven = design.draws_salts() || bits(agree.sum(), parts.len(), chance) >= least_bits;
    (is_proven && agreeing * 2 >= keys.len()).then_some(agreeing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 8 of 8 salts of one byte are 64 bits; chance gives 4 of 1,024.
    #[test]
    fn measures_agreement_beyond_chance_in_bits() {
        let byte = 1.0 / 256.0;
        assert!((bits(8.0, 8, byte) - 64.0).abs() < 1e-9);
        assert!(bits(4.0, 1_024, byte) < 1.0 && bits(60.0, 1_024, byte) > 64.0);
        assert!(bits(0.0, 0, byte) + bits(9.0, 9, 1.0) < 1e-9);
    }
}
