//! Keys that are keys of a design already: their salts say so.

use std::collections::HashSet;

use fluo_core::Escaped;

use crate::advisor::profile::FieldCut;
use crate::advisor::{KeyProfile, SampledKey};
use crate::key_design::{
    DesignSettings, Digest, DigestEnd, DigestSalt, DomainText, HashedRows, KeyDesign, Modulo,
    ModuloOf, SaltedPart, WebPart, WebTable,
};
use crate::number::{count, counted};
use crate::row_hasher::HashScheme;

/// Different keys that are looked at.
const LOOKED_AT_KEYS: usize = 256;
/// Of those one in so many may be none of the design, such as rows of another kind.
const OTHERS_ONE_IN: usize = 10;
/// Salts that check are no chance from so many bits on: one in 2^64 by one design, of which some hundreds are tried.
const LEAST_BITS: usize = 64;
/// A salt of the row hasher has at least so many bits.
const HASH_BITS: usize = 20;
/// A hexadecimal digit.
const DIGIT_BITS: usize = 4;
const MOST_DIGITS: u8 = 8;
/// Buckets that two decimal digits tell apart.
const MOST_OF_TWO_DIGITS: u32 = 100;
/// So many of the largest buckets may have no key among those that are looked at.
const UNSEEN_BUCKETS: u32 = 8;
/// What people put behind a salt.
const SEPARATORS: [&str; 8] = ["", ":", "_", "-", "|", "/", "#", "."];

/// The design whose keys these are; none where no salt that is known checks.
pub(super) fn design_of(profile: &KeyProfile) -> Option<DesignSettings> {
    let keys = looked_at(&profile.sample.keys);
    row_hasher(&keys)
        .or_else(|| digest_salt(profile, &keys))
        .or_else(|| web_table(&keys))
        .or_else(|| modulo(&keys))
}

/// The design as a sentence names it.
pub(super) fn name(settings: &DesignSettings) -> String {
    match settings {
        DesignSettings::RowHasher(hashed) => {
            format!(
                "row-hasher with the prefix `{}`",
                Escaped(hashed.prefix.as_bytes())
            )
        }
        DesignSettings::DigestSalt(salt) => {
            let digits = counted(salt.digits.into(), "digit");
            let separator = separator(&salt.separator);
            format!("digest-salt with {digits} and {separator}")
        }
        DesignSettings::WebTable(web) => {
            format!("web-table with {}", counted(web.digits.into(), "digit"))
        }
        DesignSettings::Modulo(salt) => {
            let of = match salt.of {
                ModuloOf::JavaHash => "Java's hash",
                ModuloOf::Number => "the number",
            };
            format!(
                "modulo {} of {of} with {}",
                salt.buckets,
                separator(&salt.separator)
            )
        }
        _ => "a design".to_owned(),
    }
}

fn separator(separator: &str) -> String {
    match separator {
        "" => "no separator".to_owned(),
        some => format!("the separator `{some}`"),
    }
}

/// Different keys of the sample, from all over it.
fn looked_at(sample: &[SampledKey]) -> Vec<&[u8]> {
    let mut keys: Vec<&[u8]> = sample.iter().map(|sampled| sampled.key.as_ref()).collect();
    // The sample is sorted, so that equal keys are neighbours.
    keys.dedup();
    let step = keys.len().div_ceil(LOOKED_AT_KEYS).max(1);
    keys.into_iter().step_by(step).collect()
}

/// Whether nearly all keys check, and so many that it is no chance.
fn are_keys(keys: &[&[u8]], bits: usize, checks: impl Fn(&[u8]) -> bool) -> bool {
    let allowed = keys.len() / OTHERS_ONE_IN;
    let others = keys.iter().filter(|key| !checks(key)).take(allowed + 1);
    let others = others.count();
    others <= allowed && (keys.len() - others) * bits >= LEAST_BITS
}

fn row_hasher(keys: &[&[u8]]) -> Option<DesignSettings> {
    // One may be of another kind; of the first, the middle and the last, two are not.
    let places = [0, keys.len() / 2, keys.len().saturating_sub(1)];
    let prefixes = places.into_iter().filter_map(|place| {
        let key = keys.get(place)?;
        let end = memchr::memchr(b':', key)?;
        std::str::from_utf8(key.get(..end)?).ok()
    });
    prefixes
        .flat_map(|prefix| {
            HashScheme::ALL.iter().map(move |scheme| HashedRows {
                prefix: prefix.to_owned(),
                scheme: *scheme,
            })
        })
        .map(DesignSettings::from)
        .find(|settings| {
            KeyDesign::new(settings.clone())
                .is_ok_and(|design| are_keys(keys, HASH_BITS, |key| design.remove(key).is_ok()))
        })
}

fn digest_salt(profile: &KeyProfile, keys: &[&[u8]]) -> Option<DesignSettings> {
    let mut parts = vec![SaltedPart::Whole];
    if let Some(byte) = profile.leading_fields.cut.and_then(FieldCut::separator)
        && byte.is_ascii()
    {
        parts.push(SaltedPart::Before(char::from(byte).to_string()));
    }
    // A wide salt first: what it begins with checks as a narrow one without a separator only where it is one.
    for digits in (1..=MOST_DIGITS).rev() {
        for separator in SEPARATORS {
            if !are_keys(keys, LEAST_BITS, |key| begins_with(key, digits, separator)) {
                continue;
            }
            for digest in [Digest::Md5, Digest::Sha1] {
                for (end, over) in [DigestEnd::First, DigestEnd::Last]
                    .into_iter()
                    .flat_map(|end| parts.iter().map(move |part| (end, part)))
                {
                    let settings = DesignSettings::from(DigestSalt {
                        digest,
                        end,
                        digits,
                        separator: separator.to_owned(),
                        over: over.clone(),
                    });
                    if is_salted(&settings, keys, usize::from(digits) * DIGIT_BITS) {
                        return Some(settings);
                    }
                }
            }
        }
    }
    None
}

fn web_table(keys: &[&[u8]]) -> Option<DesignSettings> {
    let kinds = [WebPart::RegistrableDomain, WebPart::Host]
        .into_iter()
        .flat_map(|over| [DomainText::Forward, DomainText::Reversed].map(|text| (over, text)));
    let kinds: Vec<_> = kinds.collect();
    for digits in 1..=MOST_DIGITS {
        if !are_keys(keys, LEAST_BITS, |key| begins_with(key, digits, ":")) {
            continue;
        }
        for &(over, text) in &kinds {
            let settings = DesignSettings::from(WebTable {
                digits,
                over,
                text,
                ..WebTable::default()
            });
            if is_salted(&settings, keys, usize::from(digits) * DIGIT_BITS) {
                return Some(settings);
            }
        }
    }
    None
}

/// Two digits, as guides have them. How many buckets there are, the largest salt tells, or nearly.
fn modulo(keys: &[&[u8]]) -> Option<DesignSettings> {
    let bucket =
        |key: &&[u8]| -> Option<u32> { std::str::from_utf8(key.get(..2)?).ok()?.parse().ok() };
    let seen: HashSet<u32> = keys.iter().filter_map(bucket).collect();
    let largest = seen.iter().copied().max()?;
    for separator in SEPARATORS {
        let is_digits = |key: &[u8]| {
            let (salt, rest) = key.split_at_checked(2).unwrap_or_default();
            salt.len() == 2
                && salt.iter().all(u8::is_ascii_digit)
                && rest.starts_with(separator.as_bytes())
        };
        if !are_keys(keys, LEAST_BITS, is_digits) {
            continue;
        }
        for (buckets, of) in (largest + 1..=MOST_OF_TWO_DIGITS.min(largest + 1 + UNSEEN_BUCKETS))
            .flat_map(|buckets| [ModuloOf::JavaHash, ModuloOf::Number].map(|of| (buckets, of)))
        {
            let settings = DesignSettings::from(Modulo {
                buckets,
                of,
                separator: separator.to_owned(),
                ..Modulo::default()
            });
            // The whole row is salted: each row proves it again. But rows that all have one number modulo the buckets, as
            // even ids behind zeros, prove nothing.
            let bits = usize::try_from(buckets.ilog2()).unwrap_or(0);
            let is_spread = count(seen.len()) * 4 >= u64::from(buckets) * 3;
            let is_it = is_spread
                && KeyDesign::new(settings.clone())
                    .is_ok_and(|design| are_keys(keys, bits, |key| design.remove(key).is_ok()));
            if is_it {
                return Some(settings);
            }
        }
    }
    None
}

fn is_salted(settings: &DesignSettings, keys: &[&[u8]], bits: usize) -> bool {
    let Ok(design) = KeyDesign::new(settings.clone()) else {
        return false;
    };
    // Rows that share what is salted share a salt, which proves nothing again.
    let mut salts: Vec<_> = keys
        .iter()
        .filter_map(|key| key.get(..bits / DIGIT_BITS))
        .collect();
    salts.sort_unstable();
    salts.dedup();
    salts.len() * bits >= LEAST_BITS && are_keys(keys, LEAST_BITS, |key| design.remove(key).is_ok())
}

/// Whether a key begins as one of such a salt does, which is quickly seen.
fn begins_with(key: &[u8], digits: u8, separator: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    key.split_at_checked(digits.into())
        .is_some_and(|(salt, rest)| {
            salt.iter().all(is_digit) && rest.starts_with(separator.as_bytes())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advisor::{ProfileBuilder, ProfileSettings};

    fn recognised(keys: impl Iterator<Item = Vec<u8>>) -> Option<DesignSettings> {
        let mut builder = ProfileBuilder::new(ProfileSettings::default());
        keys.for_each(|key| builder.push(&key));
        design_of(&builder.finish())
    }

    fn keys_of(settings: &DesignSettings, rows: u32) -> impl Iterator<Item = Vec<u8>> {
        let design = KeyDesign::new(settings.clone()).unwrap();
        (0..rows).map(move |row| {
            design
                .add(format!("user{row}").as_bytes())
                .unwrap()
                .to_vec()
        })
    }

    #[test]
    fn keys_of_a_design_are_known_by_their_salts() {
        let mut designs: Vec<DesignSettings> = HashScheme::ALL
            .iter()
            .map(|scheme| {
                HashedRows {
                    prefix: "p".to_owned(),
                    scheme: *scheme,
                }
                .into()
            })
            .collect();
        for (digits, separator) in [(1, "|"), (2, ""), (2, ":"), (4, "_"), (8, "-")] {
            let separator = separator.to_owned();
            let end = if digits == 4 {
                DigestEnd::Last
            } else {
                DigestEnd::First
            };
            designs.push(
                DigestSalt {
                    digits,
                    separator,
                    end,
                    ..DigestSalt::default()
                }
                .into(),
            );
        }
        for settings in designs {
            let rows = if name(&settings).contains("1 digit ") {
                2_000
            } else {
                200
            };
            let found = recognised(keys_of(&settings, rows));
            // All 16 salts of one digit are 64 bits.
            assert_eq!(found, Some(settings));
        }
    }

    #[test]
    fn keys_of_a_web_table_and_of_a_modulus_are_known() {
        let number = Modulo {
            of: ModuloOf::Number,
            buckets: 24,
            separator: "_".to_owned(),
            ..Modulo::default()
        };
        let reversed = WebTable {
            text: DomainText::Reversed,
            ..WebTable::default()
        };
        let designs: [(DesignSettings, &str); 5] = [
            (WebTable::default().into(), "web-table with 2 digits"),
            (reversed.into(), "web-table with 2 digits"),
            (
                Modulo::default().into(),
                "modulo 10 of Java's hash with the separator `|`",
            ),
            (
                number.into(),
                "modulo 24 of the number with the separator `_`",
            ),
            (
                Modulo {
                    buckets: 100,
                    separator: String::new(),
                    ..Modulo::default()
                }
                .into(),
                "modulo 100 of Java's hash with no separator",
            ),
        ];
        for (settings, called) in designs {
            assert_eq!(name(&settings), called);
            let design = KeyDesign::new(settings.clone()).unwrap();
            let row = |id: u32| match &settings {
                DesignSettings::WebTable(_) => format!("www.site{}.com/{id}", id % 100),
                _ => format!("{}", 1_000 + id * 7),
            };
            let keys = (0..2_000).map(|id| design.add(row(id).as_bytes()).unwrap().to_vec());
            assert_eq!(recognised(keys), Some(settings.clone()), "{called}");
        }
    }

    #[test]
    fn two_digits_and_reversed_hosts_are_no_salt_by_themselves() {
        let months = |row: u32| format!("{:02}|event{row}", row % 12 + 1);
        assert_eq!(
            recognised((0..2_000).map(|row| months(row).into_bytes())),
            None
        );
        // Behind two zeros, and even: as a number modulo 2 would have it.
        let even = |row: u32| format!("{:06}", row * 2);
        assert_eq!(
            recognised((0..2_000).map(|row| even(row).into_bytes())),
            None
        );
        let hosts = |row: u32| format!("{:02x}:com.site{}/{row}", row % 251, row % 100);
        assert_eq!(
            recognised((0..2_000).map(|row| hosts(row).into_bytes())),
            None
        );
    }

    #[test]
    fn keys_that_only_look_salted_are_not() {
        let looks = |row: u32| format!("p:{:04x}:{row}", row.wrapping_mul(40_503) & 0xffff);
        assert_eq!(
            recognised((0..2_000).map(|row| looks(row).into_bytes())),
            None
        );
        let hex = |row: u32| format!("{:08x}", row.wrapping_mul(2_654_435_761));
        assert_eq!(
            recognised((0..2_000).map(|row| hex(row).into_bytes())),
            None
        );
        // Two that check may be chance.
        let settings = DigestSalt::default().into();
        assert_eq!(recognised(keys_of(&settings, 2)), None);
        assert_eq!(recognised(std::iter::empty()), None);
    }
}
