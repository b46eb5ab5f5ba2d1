//! Salts that are a hash, or a number, modulo a number of buckets.

use std::collections::HashMap;
use std::ops::Range;

use fluo_keys::{DesignSettings, HashInput, KeyDesign, Modulo, ReverseTime, SaltedPart};

use super::parts::parts_of;
use super::separators::separators;
use super::times::times_of;
use super::{TRIED_ONE_IN, Tried, behind, with_salt};
use crate::number::float_len;

/// The maximum number of decimal digits of a bucket; the minimum is two.
const MOST_DIGITS: usize = 6;
/// The number of keys whose values are compared to find the number of buckets, if there are too
/// many numbers to try each.
const COMPARED_KEYS: usize = 12;
/// The maximum quotient of a common divisor of two keys and a number of buckets.
const MOST_DIVISORS: i64 = 10_000;

/// A salt, and the value that it is computed from.
struct Salted {
    salt: i64,
    value: i64,
}

impl Salted {
    fn agrees(&self, buckets: u32) -> bool {
        let buckets = i64::from(buckets);
        self.salt < buckets && self.value.rem_euclid(buckets) == self.salt
    }
}

/// Returns the designs whose salts are buckets, in two digits or in as many as the largest needs.
pub(super) fn tried(keys: &[&[u8]]) -> Vec<Tried> {
    let mut all = Vec::new();
    for digits in 2..=MOST_DIGITS {
        let heads = behind(keys, digits, "", u8::is_ascii_digit);
        if heads.is_empty() {
            continue;
        }
        let numbers = numbers(keys, digits);
        if numbers.first() == numbers.last() {
            continue;
        }
        // If salts and values share a divisor, the largest salt need not be near the number of
        // buckets.
        let counts = counts(&numbers, digits).start..power_of_ten(digits) + 1;
        for separator in separators(&heads) {
            let rests = behind(keys, digits, &separator, u8::is_ascii_digit);
            if rests.is_empty() || counts.is_empty() {
                continue;
            }
            for design in designs(digits, &separator, &rests) {
                let salted = salted(&design, keys, digits);
                if salted.len() * TRIED_ONE_IN < keys.len() {
                    continue;
                }
                let buckets = buckets_of(&salted, &counts).into_iter();
                all.extend(buckets.map(|buckets| Tried {
                    settings: design.with(buckets),
                    chance: chance(&salted, buckets),
                    is_weak: true,
                }));
            }
        }
    }
    all
}

/// Returns the designs with one of these numbers of buckets, in this many digits.
pub(super) fn of_buckets(keys: &[&[u8]], digits: usize, buckets: Range<u32>) -> Vec<Tried> {
    let heads = behind(keys, digits, "", u8::is_ascii_digit);
    let separators = separators(&heads).into_iter();
    let designs = separators.flat_map(|separator| {
        let rests = behind(keys, digits, &separator, u8::is_ascii_digit);
        designs(digits, &separator, &rests)
    });
    designs
        .flat_map(|design| {
            buckets.clone().map(move |buckets| Tried {
                settings: design.with(buckets),
                chance: 1.0 / f64::from(buckets),
                is_weak: true,
            })
        })
        .collect()
}

/// A design with an unknown number of buckets.
struct Unnumbered {
    salt: Modulo,
    times: Option<ReverseTime>,
}

impl Unnumbered {
    fn with(&self, buckets: u32) -> DesignSettings {
        let salt = Modulo {
            buckets,
            ..self.salt.clone()
        };
        match &self.times {
            Some(times) => with_salt(times, salt),
            None => salt.into(),
        }
    }
}

fn designs(digits: usize, separator: &str, rests: &[&[u8]]) -> Vec<Unnumbered> {
    let salt = |over: SaltedPart, of| Modulo {
        buckets: power_of_ten(digits),
        of,
        separator: separator.to_owned(),
        over,
    };
    let timed = times_of(rests)
        .into_iter()
        .map(|times| (SaltedPart::Entity, Some(times)));
    let plain = parts_of(rests).into_iter().map(|over| (over, None));
    timed
        .chain(plain)
        .flat_map(|(over, times)| {
            [HashInput::JavaHash, HashInput::Number].map(|of| Unnumbered {
                salt: salt(over.clone(), of),
                times: times.clone(),
            })
        })
        .collect()
}

/// Returns the salts of the keys that have a place for one, with the values that they are computed
/// from.
fn salted(design: &Unnumbered, keys: &[&[u8]], digits: usize) -> Vec<Salted> {
    let Ok(made) = KeyDesign::new(design.with(power_of_ten(digits))) else {
        return Vec::new();
    };
    let of = |key: &&[u8]| {
        let salt = i64::from(number(key, digits)?);
        let row = made.row_behind_salt(key).ok()?;
        let part = made.salted_part(&row).ok()??;
        let value = design.salt.of.value(&part)?;
        Some(Salted { salt, value })
    };
    keys.iter().filter_map(of).collect()
}

/// Returns the numbers of buckets with which at least two fifths of the salts agree.
fn buckets_of(salted: &[Salted], counts: &Range<u32>) -> Vec<u32> {
    let agree = |buckets: &u32| {
        let agree = salted.iter().filter(|salted| salted.agrees(*buckets));
        agree.count() * 5 >= salted.len() * 2
    };
    if counts.end <= power_of_ten(2) + 1 {
        return counts.clone().filter(agree).collect();
    }
    // The number of buckets divides each value minus its salt, and so the common divisor of two of
    // them.
    let step = salted.len().div_ceil(COMPARED_KEYS).max(1);
    let left: Vec<_> = salted
        .iter()
        .step_by(step)
        .map(|salted| (salted.value - salted.salt).abs())
        .collect();
    let pairs = left
        .iter()
        .enumerate()
        .flat_map(|(place, a)| left.iter().skip(place + 1).map(|b| common(*a, *b)));
    let mut found: Vec<_> = pairs
        .flat_map(|common| {
            let divisors = 1..=(common / i64::from(counts.start.max(1))).min(MOST_DIVISORS);
            let divisors = divisors.filter(move |divisor| common % divisor == 0);
            divisors.filter_map(move |divisor| u32::try_from(common / divisor).ok())
        })
        .filter(|buckets| counts.contains(buckets))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.retain(agree);
    found
}

/// Returns the chance that a salt agrees with the value of another key. A modulus is not a hash:
/// salts and values that are all even, or all zero, agree more often than one in the number of
/// buckets.
fn chance(salted: &[Salted], buckets: u32) -> f64 {
    let mut salts: HashMap<i64, (f64, f64)> = HashMap::new();
    for Salted { salt, value } in salted {
        salts.entry(*salt).or_default().0 += 1.0;
        let of_value = value.rem_euclid(i64::from(buckets));
        salts.entry(of_value).or_default().1 += 1.0;
    }
    let pairs: f64 = salts.values().map(|(salts, values)| salts * values).sum();
    let all = float_len(salted.len().max(1)).powi(2);
    (pairs / all).max(1.0 / f64::from(buckets))
}

/// Returns the greatest common divisor.
fn common(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn power_of_ten(digits: usize) -> u32 {
    10_u32.saturating_pow(u32::try_from(digits).unwrap_or(u32::MAX))
}

/// Returns the salts of the keys as numbers, ascending.
pub(in super::super) fn numbers(keys: &[&[u8]], digits: usize) -> Vec<u32> {
    let mut numbers: Vec<_> = keys.iter().filter_map(|key| number(key, digits)).collect();
    numbers.sort_unstable();
    numbers
}

fn number(key: &[u8], digits: usize) -> Option<u32> {
    let digits = key.get(..digits)?;
    let is_number = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits)
        .ok()
        .filter(|_| is_number)?
        .parse()
        .ok()
}

/// Returns the possible numbers of buckets, by the largest salts: one key in ten may belong to no
/// design. `numbers` are the [`numbers`] of the keys.
pub(in super::super) fn counts(numbers: &[u32], digits: usize) -> Range<u32> {
    let least = match digits {
        2 => 2,
        some => power_of_ten(some - 1) + 1,
    };
    let most = power_of_ten(digits) + 1;
    if digits == 2 {
        return least..most;
    }
    let nearly_largest = numbers.get(numbers.len() * 9 / 10).copied().unwrap_or(0);
    least.max(nearly_largest)..most.min(nearly_largest + nearly_largest / 4 + 8)
}

/// Checks whether the salts, ascending, use most of this many buckets.
pub(in super::super) fn is_spread(numbers: &[u32], buckets: u32) -> bool {
    let thrown = numbers.partition_point(|number| *number < buckets);
    let thrown = numbers.get(..thrown).unwrap_or(numbers);
    let different = thrown.chunk_by(u32::eq).count();
    // `n` keys leave `b * exp(-n / b)` of `b` buckets unused.
    let buckets = f64::from(buckets);
    let used = buckets * (1.0 - (-float_len(thrown.len()) / buckets).exp());
    float_len(different) * 4.0 >= used * 3.0
}
