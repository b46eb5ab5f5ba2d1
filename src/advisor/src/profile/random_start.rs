//! The sign that keys spread by themselves: random characters at their beginning.

use fluo_keys::ChiSquare;

use super::sample::SampledKey;

/// The least number of different keys that show their distribution.
const MIN_KEYS: usize = 200;
/// The number of leading characters that must be random.
const CHARACTERS: usize = 2;
/// The number of keys for each permitted exception.
const ALL_BUT_ONE_IN: usize = 100;
/// The alphabets of hashes and random ids: hexadecimal, base36, base32 and base62. Decimal digits
/// are as even in counters.
const ALPHABETS: [&[u8]; 8] = [
    b"0123456789abcdef",
    b"0123456789ABCDEF",
    b"0123456789abcdefghijklmnopqrstuvwxyz",
    b"abcdefghijklmnopqrstuvwxyz234567",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    b"0123456789abcdefghjkmnpqrstvwxyz",
    b"0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
];

/// Checks whether the first characters of nearly all keys are as evenly distributed in an alphabet
/// as those of a hash.
///
/// They are not more evenly distributed, as those of a counter are, unless they are letters and
/// digits before a separator: those are even only in a salt, because other parts of the key follow.
pub(crate) fn starts_randomly(sorted: &[SampledKey]) -> bool {
    let mut keys: Vec<&[u8]> = sorted.iter().map(|sampled| sampled.key.as_ref()).collect();
    keys.dedup();
    if keys.len() < MIN_KEYS {
        return false;
    }
    let places: Vec<_> = (0..CHARACTERS).map(|place| counts(&keys, place)).collect();
    let is_separator = |byte: &u8| !byte.is_ascii_alphanumeric();
    let has_one = |key: &&&[u8]| key.get(CHARACTERS).is_some_and(is_separator);
    let is_parted = are_nearly_all(keys.iter().filter(has_one).count(), &keys);
    ALPHABETS.iter().any(|alphabet| {
        let most = if is_parted { 1.0 } else { 1.0 - ChiSquare::MIN_P_VALUE };
        let are_random = |counts: &[u64; 256]| {
            let own = alphabet.iter().filter_map(|byte| counts.get(usize::from(*byte)));
            let own: Vec<u64> = own.copied().collect();
            let keys_with = usize::try_from(own.iter().sum::<u64>()).unwrap_or(0);
            let test = ChiSquare::new(&own, &vec![1; own.len()]);
            let is_chance =
                |test: ChiSquare| (ChiSquare::MIN_P_VALUE..=most).contains(&test.p_value);
            are_nearly_all(keys_with, &keys) && test.is_some_and(is_chance)
        };
        places.iter().all(are_random)
    })
}

fn counts(keys: &[&[u8]], place: usize) -> [u64; 256] {
    let mut counts = [0; 256];
    for byte in keys.iter().filter_map(|key| key.get(place)) {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    counts
}

fn are_nearly_all(own: usize, keys: &[&[u8]]) -> bool {
    own + keys.len() / ALL_BUT_ONE_IN >= keys.len()
}
