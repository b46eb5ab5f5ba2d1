//! The sign that keys have salts of a design that is not recognized: hexadecimal digits of one
//! width before a separator.
//!
//! It is no proof, because hardware addresses and some ids begin in the same way. But the keys of a
//! table must not be taken for plain rows: a second salt hides them from their readers.

use std::collections::{HashMap, HashSet};

use crate::profile::SampledKey;

const MAX_DIGITS: usize = 8;
/// The least number of different salts. Words such as `be` and `de` are fewer.
const MIN_SALTS: usize = 8;
/// The inverse of the least share of the salts with a letter, and of those with a digit: dates and
/// counters have no letters, and words no digits.
const SALTS_ONE_IN: usize = 4;

/// Checks whether at least half of the keys seem to begin with hexadecimal salts.
pub(crate) fn seem_salted(keys: &[SampledKey]) -> bool {
    let mut forms: HashMap<(usize, u8), Vec<&[u8]>> = HashMap::new();
    for (salt, separator) in keys.iter().filter_map(|sampled| salt_of(&sampled.key)) {
        forms.entry((salt.len(), separator)).or_default().push(salt);
    }
    forms.values().any(|of_keys| {
        let salts: HashSet<_> = of_keys.iter().collect();
        let with = |is: fn(&u8) -> bool| salts.iter().filter(|salt| salt.iter().any(is)).count();
        let is_frequent = |count: usize| count * SALTS_ONE_IN >= salts.len();
        of_keys.len() * 2 >= keys.len()
            && salts.len() >= MIN_SALTS
            && is_frequent(with(u8::is_ascii_alphabetic))
            && is_frequent(with(u8::is_ascii_digit))
    })
}

/// Returns the hexadecimal digits before the separator of a key, and the separator.
fn salt_of(key: &[u8]) -> Option<(&[u8], u8)> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let end = key.iter().take(MAX_DIGITS + 1).position(|byte| !is_digit(byte))?;
    let (salt, rest) = key.split_at_checked(end)?;
    let separator = rest.first().filter(|byte| !byte.is_ascii_alphanumeric())?;
    (!salt.is_empty()).then_some((salt, *separator))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::ProfileBuilder;

    #[rstest]
    #[case(|n| format!("{:02x}:com.site{n}/", n * 7 % 256), true)]
    #[case(|n| format!("{:x}-user{n}", n * 7 % 16), true)]
    #[case(|n: u32| format!("{:08x}|{n}", n.wrapping_mul(0x9e37_79b9)), true)]
    // Of two keys one is enough.
    #[case(|n| if n % 2 == 0 { format!("{:02x}_{n}", n * 7 % 256) } else { format!("user{n}") }, true)]
    #[case(|n| if n % 3 == 0 { format!("{:02x}_{n}", n * 7 % 256) } else { format!("user{n}") }, false)]
    // Dates, times, counters, addresses, words, and one salt alone.
    #[case(|n| format!("2024-{:02}-{:02}", n % 12 + 1, n % 28 + 1), false)]
    #[case(|n| format!("{:02}:{:02}|{n}", n % 24, n % 60), false)]
    #[case(|n| format!("{n:08}/x"), false)]
    #[case(|n| format!("10.0.{}.{}", n / 250, n % 250), false)]
    #[case(|n| format!("{}.site{n}/", ["de", "be", "cc", "ad", "fe"][n as usize % 5]), false)]
    #[case(|n| format!("9f:com.site/{n}"), false)]
    #[case(|n| format!("{:02x}{n}", n * 7 % 256), false)]
    #[case(|_| String::new(), false)]
    fn tells_salts_from_dates_words_and_numbers(
        #[case] key: fn(u32) -> String,
        #[case] expected: bool,
    ) {
        let mut builder = ProfileBuilder::default();
        (0..1_000).for_each(|number| builder.push(key(number).as_bytes()));
        assert_eq!(seem_salted(&builder.finish().sample.keys), expected, "{}", key(1));
    }
}
