//! Signs that an unknown design has salted or hashed keys.

use std::fmt;

use fluo_keys::ChiSquare;
use serde::Serialize;

/// The least number of keys that show their distribution.
const LEAST_KEYS: usize = 200;
/// The maximum number of keys that are examined.
const LOOKED_AT_KEYS: usize = 4_096;
/// The maximum number of characters of a salt or a hash.
const MOST_CHARACTERS: usize = 8;
/// The least number of characters of a hash without a separator.
const LEAST_CHARACTERS: usize = 2;
/// The maximum number of digits of a bucket.
const MOST_BUCKET_DIGITS: usize = 6;
/// The number of keys for each permitted exception.
const ALL_BUT_ONE_IN: usize = 100;

const DECIMAL: &str = "decimal digits";
const ALPHABETS: [(&str, &[u8]); 9] = [
    ("hexadecimal digits", b"0123456789abcdef"),
    ("hexadecimal digits", b"0123456789ABCDEF"),
    (DECIMAL, b"0123456789"),
    (
        "letters and digits",
        b"0123456789abcdefghijklmnopqrstuvwxyz",
    ),
    ("base32 digits", b"abcdefghijklmnopqrstuvwxyz234567"),
    ("base32 digits", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    ("base32 digits", b"0123456789abcdefghjkmnpqrstvwxyz"),
    ("base32 digits", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
    (
        "letters and digits",
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    ),
];

/// Characters at the beginning of keys that are as evenly distributed as those of a salt or a hash,
/// and not more evenly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SaltedLook {
    /// The number of the characters.
    pub characters: usize,
    /// Their alphabet, such as `hexadecimal digits`.
    pub kind: String,
}

impl fmt::Display for SaltedLook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { characters, kind } = self;
        match characters {
            1 => write!(f, "the first character, one of {kind}, is spread evenly"),
            some => write!(f, "the first {some} characters, {kind}, are spread evenly"),
        }
    }
}

impl SaltedLook {
    /// Returns the look of different keys; `None` if they look neither salted nor hashed.
    pub(super) fn for_keys(keys: &[&[u8]]) -> Option<Self> {
        if keys.len() < LEAST_KEYS {
            return None;
        }
        let step = keys.len().div_ceil(LOOKED_AT_KEYS);
        let keys: Vec<_> = keys.iter().step_by(step).copied().collect();
        buckets(&keys).or_else(|| characters(&keys))
    }
}

/// Returns the look of decimal numbers of one width, from 0.
fn buckets(keys: &[&[u8]]) -> Option<SaltedLook> {
    let length = |key: &[u8]| key.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = length(keys.get(keys.len() / 2)?);
    if !(2..=MOST_BUCKET_DIGITS).contains(&digits) {
        return None;
    }
    let own = keys.iter().filter(|key| length(key) == digits);
    let numbers: Vec<usize> = own
        .filter_map(|key| std::str::from_utf8(key.get(..digits)?).ok()?.parse().ok())
        .collect();
    let largest = *numbers.iter().max()?;
    // More buckets than this cannot be shown to be even.
    if !are_nearly_all(numbers.len(), keys) || largest == 0 || largest >= keys.len() {
        return None;
    }
    let mut counts = vec![0_u64; largest + 1];
    for number in numbers {
        *counts.get_mut(number)? += 1;
    }
    is_even(&counts, is_chance).then(|| SaltedLook {
        characters: digits,
        kind: format!("numbers from 0 to {largest}"),
    })
}

/// Returns the look of leading characters that each can be any character of an alphabet.
///
/// Letters and digits before a separator are even only if they are a salt, because other parts of
/// the key follow. Without a separator, even characters can also be those of a counter.
fn characters(keys: &[&[u8]]) -> Option<SaltedLook> {
    let look = |is_likely: fn(f64) -> bool| {
        let kind_at = |place: usize| {
            let mut alphabets = ALPHABETS.into_iter();
            alphabets.find_map(|(kind, alphabet)| {
                let counts = counts(keys, place, alphabet);
                let own = usize::try_from(counts.iter().sum::<u64>()).ok()?;
                (are_nearly_all(own, keys) && is_even(&counts, is_likely)).then_some(kind)
            })
        };
        let kind = kind_at(0)?;
        let characters = (0..MOST_CHARACTERS)
            .take_while(|place| kind_at(*place) == Some(kind))
            .count();
        let kind = kind.to_owned();
        Some(SaltedLook { characters, kind })
    };
    let parted =
        look(is_no_skew).filter(|look| look.kind != DECIMAL && is_parted(keys, look.characters));
    parted.or_else(|| look(is_chance).filter(|look| look.characters >= LEAST_CHARACTERS))
}

/// Checks whether nearly all keys have the same character at a place, which is neither a letter nor
/// a digit.
fn is_parted(keys: &[&[u8]], place: usize) -> bool {
    let byte = keys.first().and_then(|key| key.get(place));
    let has_it = keys.iter().filter(|key| key.get(place) == byte);
    byte.is_some_and(|byte| !byte.is_ascii_alphanumeric()) && are_nearly_all(has_it.count(), keys)
}

/// Returns the number of keys that have each byte of an alphabet at a place.
fn counts(keys: &[&[u8]], place: usize, alphabet: &[u8]) -> Vec<u64> {
    let mut of_byte = [0_u64; 256];
    for byte in keys.iter().filter_map(|key| key.get(place)) {
        if let Some(count) = of_byte.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    alphabet
        .iter()
        .filter_map(|byte| of_byte.get(usize::from(*byte)).copied())
        .collect()
}

fn are_nearly_all(own: usize, keys: &[&[u8]]) -> bool {
    own + keys.len() / ALL_BUT_ONE_IN >= keys.len()
}

/// Checks whether counts are even, by the p-value of a chi-square test.
fn is_even(counts: &[u64], is_likely: fn(f64) -> bool) -> bool {
    let shares = vec![1; counts.len()];
    ChiSquare::new(counts, &shares).is_some_and(|test| is_likely(test.p_value))
}

fn is_no_skew(p_value: f64) -> bool {
    p_value >= ChiSquare::LEAST_P_VALUE
}

/// Checks whether chance explains counts this even: the counts of counters are more even.
fn is_chance(p_value: f64) -> bool {
    (ChiSquare::LEAST_P_VALUE..1.0 - ChiSquare::LEAST_P_VALUE).contains(&p_value)
}
