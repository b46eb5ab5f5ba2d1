//! Designs whose salts are computed, by the salts of their keys.

use super::evidence::Agreement;
use crate::key_design::{
    DesignSettings, Digest, DigestEnd, DigestSalt, DomainText, KeyDesign, Modulo, ModuloOf,
    ReverseTime, SaltSettings, SaltedPart, TimeEncoding, TimePlace, WebPart, WebTable,
};

/// Different keys that are looked at.
const LOOKED_AT_KEYS: usize = 256;
/// Most designs that are found beside each other.
const MOST_DESIGNS: usize = 4;
/// A salt is tried if one key in so many has a place for it.
const TRIED_ONE_IN: usize = 10;
/// Separators behind a salt.
pub(super) const SEPARATORS: [&str; 8] = ["", ":", "_", "-", "|", "/", "#", "."];
const MOST_DIGITS: u8 = 8;
/// The first bytes of a row that a salt is made of, at most.
const MOST_FIRST: usize = 8;
/// Buckets are written in two decimal digits to so many.
const MOST_BUCKET_DIGITS: usize = 4;

/// A design to be tried, and how often a key agrees with it by chance.
struct Tried {
    settings: DesignSettings,
    chance: f64,
    /// Whether only half of the keys with a place for a salt, or more, prove it: a modulus is no hash.
    is_weak: bool,
}

/// Returns the designs that have made the keys, those of most keys first.
pub(super) fn by_keys(mut keys: Vec<&[u8]>) -> Vec<DesignSettings> {
    let mut found = Vec::new();
    while found.len() < MOST_DESIGNS {
        let Some(settings) = best(&looked_at(&keys)) else {
            break;
        };
        let Ok(design) = KeyDesign::new(settings.clone()) else {
            break;
        };
        let before = keys.len();
        keys.retain(|key| design.remove(key).is_err());
        found.push(settings);
        if keys.is_empty() || keys.len() == before {
            break;
        }
    }
    found
}

/// Returns some of the keys, from all over them.
pub(super) fn looked_at<'a>(keys: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let step = keys.len().div_ceil(LOOKED_AT_KEYS).max(1);
    keys.iter().step_by(step).copied().collect()
}

/// Returns the design that most of the keys agree with; the first of equals.
fn best(keys: &[&[u8]]) -> Option<DesignSettings> {
    let mut best: Option<(usize, DesignSettings)> = None;
    for tried in digests(keys).into_iter().chain(moduli(keys)) {
        let Some(agreement) = Agreement::of(&tried.settings, keys, tried.chance) else {
            continue;
        };
        let is_proven = !tried.is_weak || agreement.keys * 2 >= agreement.possible;
        let is_better = best.as_ref().is_none_or(|(most, _)| agreement.keys > *most);
        if is_proven && is_better {
            best = Some((agreement.keys, tried.settings));
        }
        if best.as_ref().is_some_and(|(most, _)| *most == keys.len()) {
            break;
        }
    }
    best.map(|(_, settings)| settings)
}

/// Returns what follows the salts, where enough keys have a place for such a salt.
fn behind<'a>(
    keys: &[&'a [u8]],
    digits: usize,
    separator: &str,
    is_digit: fn(&u8) -> bool,
) -> Vec<&'a [u8]> {
    let rests: Vec<_> = keys
        .iter()
        .filter_map(|key| {
            let (salt, rest) = key.split_at_checked(digits)?;
            let rest = rest.strip_prefix(separator.as_bytes())?;
            salt.iter().all(is_digit).then_some(rest)
        })
        .collect();
    if rests.len() * TRIED_ONE_IN < keys.len() {
        Vec::new()
    } else {
        rests
    }
}

fn is_hexadecimal(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Returns the designs whose salts are hexadecimal digits. A wide salt comes first: without a separator its beginning looks like a narrow one.
fn digests(keys: &[&[u8]]) -> Vec<Tried> {
    let mut all = Vec::new();
    for digits in (1..=MOST_DIGITS).rev() {
        let chance = 0.0625_f64.powi(digits.into());
        let mut add = |settings| {
            all.push(Tried {
                settings,
                chance,
                is_weak: false,
            });
        };
        for separator in SEPARATORS {
            let rests = behind(keys, digits.into(), separator, is_hexadecimal);
            if rests.is_empty() {
                continue;
            }
            if separator == ":" {
                web_tables(digits).for_each(&mut add);
            }
            let salts = [Digest::Md5, Digest::Sha1]
                .into_iter()
                .flat_map(|digest| [DigestEnd::First, DigestEnd::Last].map(|end| (digest, end)));
            let salts: Vec<_> = salts
                .map(|(digest, end)| DigestSalt {
                    digest,
                    end,
                    digits,
                    separator: separator.to_owned(),
                    over: SaltedPart::Whole,
                })
                .collect();
            for times in times_of(&rests) {
                for (salt, over) in salts.iter().flat_map(|salt| {
                    [SaltedPart::Entity, SaltedPart::Whole].map(|over| (salt, over))
                }) {
                    let salt = DigestSalt {
                        over,
                        ..salt.clone()
                    };
                    add(with_salt(&times, salt));
                }
            }
            for over in parts_of(&rests) {
                for salt in &salts {
                    add(DigestSalt {
                        over: over.clone(),
                        ..salt.clone()
                    }
                    .into());
                }
            }
        }
    }
    all
}

fn web_tables(digits: u8) -> impl Iterator<Item = DesignSettings> {
    [WebPart::RegistrableDomain, WebPart::Host]
        .into_iter()
        .flat_map(|over| [DomainText::Forward, DomainText::Reversed].map(|text| (over, text)))
        .map(move |(over, text)| {
            WebTable {
                digits,
                over,
                text,
                ..WebTable::default()
            }
            .into()
        })
}

fn with_salt(times: &ReverseTime, salt: impl Into<SaltSettings>) -> DesignSettings {
    ReverseTime {
        salt: Some(salt.into()),
        ..times.clone()
    }
    .into()
}

/// Returns the parts of rows that a salt can be made of.
fn parts_of(rests: &[&[u8]]) -> Vec<SaltedPart> {
    let has_before = |separator: &&str| {
        let has = |rest: &&&[u8]| memchr::memmem::find(rest, separator.as_bytes()) > Some(0);
        !separator.is_empty() && rests.iter().filter(has).count() * 2 >= rests.len()
    };
    let others = ["\t", "\0", ";", ",", " "];
    let before = SEPARATORS.into_iter().chain(others).filter(has_before);
    let before = before.map(|separator| SaltedPart::Before(separator.to_owned()));
    let first = (1..=MOST_FIRST).map(SaltedPart::First);
    [SaltedPart::Whole]
        .into_iter()
        .chain(before)
        .chain(first)
        .collect()
}

/// Returns the forms of rows with a time that is counted down, if half of what follows the salts looks like one.
pub(super) fn times_of(rests: &[&[u8]]) -> Vec<ReverseTime> {
    let separators = SEPARATORS
        .into_iter()
        .chain(["\t", "\0", ";", ",", " ", "@"]);
    let forms = separators.flat_map(|separator| {
        [TimePlace::Last, TimePlace::First]
            .into_iter()
            .flat_map(move |time| {
                [TimeEncoding::Decimal, TimeEncoding::Binary].map(|encoding| ReverseTime {
                    time,
                    encoding,
                    separator: separator.to_owned(),
                    salt: None,
                })
            })
    });
    let is_one = |times: &ReverseTime| {
        let is_time = |rest: &&&[u8]| is_counted_down(times, rest);
        rests.iter().filter(is_time).count() * 2 >= rests.len()
    };
    forms.filter(is_one).collect()
}

/// Checks whether what follows a salt has a time of our days counted down where the form has one: in seconds,
/// milliseconds or microseconds since 1970.
pub(super) fn is_counted_down(times: &ReverseTime, written: &[u8]) -> bool {
    let width = match times.encoding {
        TimeEncoding::Decimal => 19,
        TimeEncoding::Binary => 8,
    };
    let separator = times.separator.as_bytes();
    let time = match times.time {
        TimePlace::First => written
            .split_at_checked(width)
            .and_then(|(time, rest)| rest.starts_with(separator).then_some(time)),
        TimePlace::Last => written
            .len()
            .checked_sub(width)
            .and_then(|end| written.split_at_checked(end))
            .and_then(|(entity, time)| entity.ends_with(separator).then_some(time)),
    };
    let left = time.and_then(|time| match times.encoding {
        TimeEncoding::Decimal => std::str::from_utf8(time).ok()?.parse::<i64>().ok(),
        TimeEncoding::Binary => Some(i64::from_be_bytes(time.try_into().ok()?)),
    });
    let is_of_our_days = |time: i64| {
        // 1985 to 2096.
        [1, 1_000, 1_000_000]
            .iter()
            .any(|unit| (480_000_000..4_000_000_000).contains(&(time / unit)))
    };
    left.is_some_and(|left| left >= 0 && is_of_our_days(i64::MAX - left))
}

/// Returns the designs whose salts are buckets, in two digits or in as many as the largest needs.
fn moduli(keys: &[&[u8]]) -> Vec<Tried> {
    let mut all = Vec::new();
    for digits in 2..=MOST_BUCKET_DIGITS {
        let numbers = numbers(keys, digits);
        let counts: Vec<_> = counts(&numbers, digits)
            .filter(|buckets| is_spread(&numbers, *buckets))
            .collect();
        for separator in SEPARATORS {
            let rests = behind(keys, digits, separator, u8::is_ascii_digit);
            if rests.is_empty() {
                continue;
            }
            let times = times_of(&rests);
            let parts = parts_of(&rests);
            for buckets in counts.iter().copied() {
                for of in [ModuloOf::JavaHash, ModuloOf::Number] {
                    let salt = |over| Modulo {
                        buckets,
                        of,
                        separator: separator.to_owned(),
                        over,
                    };
                    let timed = times
                        .iter()
                        .map(|times| with_salt(times, salt(SaltedPart::Entity)));
                    let plain = parts
                        .iter()
                        .filter(|part| !matches!(part, SaltedPart::First(_)))
                        .map(|part| DesignSettings::from(salt(part.clone())));
                    all.extend(timed.chain(plain).map(|settings| Tried {
                        settings,
                        chance: 1.0 / f64::from(buckets),
                        is_weak: true,
                    }));
                }
            }
        }
    }
    all
}

/// Returns the salts of the keys as numbers, ascending.
pub(super) fn numbers(keys: &[&[u8]], digits: usize) -> Vec<u32> {
    let number = |key: &&[u8]| -> Option<u32> {
        let digits = key.get(..digits)?;
        let is_number = digits.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(digits)
            .ok()
            .filter(|_| is_number)?
            .parse()
            .ok()
    };
    let mut numbers: Vec<_> = keys.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Returns how many buckets there can be, by the largest salts: one key in ten may be none of the design. `numbers` are
/// the [`numbers`] of the keys.
pub(super) fn counts(numbers: &[u32], digits: usize) -> std::ops::Range<u32> {
    let least = match digits {
        2 => 2,
        some => 10_u32.saturating_pow(u32::try_from(some - 1).unwrap_or(u32::MAX)) + 1,
    };
    let most = 10_u32.saturating_pow(u32::try_from(digits).unwrap_or(u32::MAX)) + 1;
    if digits == 2 {
        return least..most;
    }
    let nearly_largest = numbers.get(numbers.len() * 9 / 10).copied().unwrap_or(0);
    least.max(nearly_largest)..most.min(nearly_largest + nearly_largest / 4 + 8)
}

/// Checks whether the salts, ascending, use most of so many buckets. Rows that all have one number modulo the buckets, as even ids
/// behind zeros, prove nothing.
pub(super) fn is_spread(numbers: &[u32], buckets: u32) -> bool {
    let thrown = numbers.partition_point(|number| *number < buckets);
    let thrown = numbers.get(..thrown).unwrap_or(numbers);
    let different = thrown.chunk_by(u32::eq).count();
    // Of `b` buckets `n` keys leave `b * exp(-n / b)` unused.
    let buckets = f64::from(buckets);
    let used = buckets * (1.0 - (-crate::number::float_len(thrown.len()) / buckets).exp());
    crate::number::float_len(different) * 4.0 >= used * 3.0
}
