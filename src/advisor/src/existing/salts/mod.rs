//! Designs with computed salts, recognised by the salts of their keys.

mod digests;
mod moduli;
mod parts;
mod separators;
mod times;

pub(super) use self::moduli::{counts, is_spread, numbers};
pub(super) use self::separators::separators;
pub(super) use self::times::{is_counted_down, times_of};

use fluo_keys::{DesignSettings, KeyDesign, ReverseTime, SaltSettings, SaltedPart};
use fluo_table::Bytes;

use super::evidence::{Agreement, LEAST_BITS, LEAST_BITS_IF_SPLIT};
use super::layout;
use crate::number::float_len;

/// The maximum number of different keys that are examined.
const LOOKED_AT_KEYS: usize = 256;
/// The maximum number of designs that are found together.
const MOST_DESIGNS: usize = 4;
/// The inverse of the share of keys that must have a place for a salt, so that it is tried.
const TRIED_ONE_IN: usize = 10;
/// The share of the keys that must agree with a design that split points show.
const NEARLY_ALL: f64 = 0.9;

/// A design to be tried, with the chance that a key agrees with it.
struct Tried {
    settings: DesignSettings,
    chance: f64,
    /// `true` if at least half of the keys with a place for a salt must agree: a modulus is not a
    /// hash.
    is_weak: bool,
}

/// Returns the designs of the keys, those of the most keys first.
pub(super) fn by_keys(mut keys: Vec<&[u8]>) -> Vec<DesignSettings> {
    let mut found = Vec::new();
    while found.len() < MOST_DESIGNS {
        let some = looked_at(&keys);
        let tried = digests::tried(&some, 1..=digests::MOST_DIGITS)
            .into_iter()
            .chain(moduli::tried(&some));
        let best = best(tried, &some, LEAST_BITS);
        let Some((settings, design)) = of_most(best, &keys) else {
            break;
        };
        let before = keys.len();
        keys.retain(|key| design.decode_key(key).is_err());
        found.push(settings);
        if keys.is_empty() || keys.len() == before {
            break;
        }
    }
    found
}

/// Returns a selection of the keys, evenly spaced.
pub(super) fn looked_at<'a>(keys: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let step = keys.len().div_ceil(LOOKED_AT_KEYS).max(1);
    keys.iter().step_by(step).copied().collect()
}

/// Returns the design of keys with too few different salts to prove it, in a table that is split at
/// the points of the design.
pub(super) fn by_splits(keys: &[&[u8]], splits: &[Bytes]) -> Option<DesignSettings> {
    let some = looked_at(keys);
    // A tablet that grew is split at a row, which is longer than a salt.
    let width = splits.iter().map(Bytes::len).min()?;
    let own = splits.iter().filter(|split| split.len() == width);
    let own: Vec<_> = own.cloned().collect();
    let digests = digests::tried(&some, width..=width);
    let buckets = layout::buckets_of(&own).unwrap_or_default();
    let moduli = moduli::of_buckets(&some, width, buckets);
    let tried = digests.into_iter().chain(moduli);
    let mut tried: Vec<_> = tried.filter(|tried| is_usual(&tried.settings)).collect();
    let length = |tried: &Tried| separator(&tried.settings).len();
    let longest = tried.iter().map(length).max();
    tried.retain(|tried| Some(length(tried)) == longest);
    tried.retain(|tried| layout::is_even(&tried.settings, splits));
    let least_bits = LEAST_BITS_IF_SPLIT + float_len(tried.len().max(1)).log2();
    of_most(best(tried.into_iter(), &some, least_bits), keys)
        .filter(|(_, design)| {
            let agree = keys.iter().filter(|key| design.decode_key(key).is_ok());
            float_len(agree.count()) >= float_len(keys.len()) * NEARLY_ALL
        })
        .map(|(settings, _)| settings)
}

/// Checks whether a design is a usual one: of many similar designs, one agrees by chance.
fn is_usual(settings: &DesignSettings) -> bool {
    let over = match settings {
        DesignSettings::DigestSalt(salt) => &salt.over,
        DesignSettings::Modulo(salt) => &salt.over,
        _ => return true,
    };
    let has_letters = separator(settings).contains(char::is_alphanumeric);
    !has_letters && !matches!(over, SaltedPart::First(_))
}

fn separator(settings: &DesignSettings) -> &str {
    match settings {
        DesignSettings::DigestSalt(salt) => &salt.separator,
        DesignSettings::Modulo(salt) => &salt.separator,
        _ => "",
    }
}

/// Returns the designs with which most of the keys agree: several if the keys do not distinguish
/// them.
fn best(
    tried: impl Iterator<Item = Tried>,
    keys: &[&[u8]],
    least_bits: f64,
) -> Vec<DesignSettings> {
    let mut most = 0;
    let mut best = Vec::new();
    for tried in tried {
        let agreement = Agreement::new(&tried.settings, keys, tried.chance, least_bits);
        let Some(agreement) = agreement else {
            continue;
        };
        let is_proven = !tried.is_weak || agreement.keys * 2 >= agreement.possible;
        if !is_proven || agreement.keys < most {
            continue;
        }
        if agreement.keys > most {
            best.clear();
        }
        most = agreement.keys;
        best.push(tried.settings);
    }
    best
}

/// Returns the design that writes the most of the keys again as they are; the first of several.
fn of_most(designs: Vec<DesignSettings>, keys: &[&[u8]]) -> Option<(DesignSettings, KeyDesign)> {
    let mut best = None;
    let mut most = 0;
    for settings in designs {
        let Ok(design) = KeyDesign::new(settings.clone()) else {
            continue;
        };
        let writes = |key: &&&[u8]| {
            let row = design.decode_key(key);
            row.is_ok_and(|row| design.encode_row(&row).is_ok_and(|again| again == **key))
        };
        let written = keys.iter().filter(writes).count();
        if written > most {
            most = written;
            best = Some((settings, design));
        }
        if most == keys.len() {
            break;
        }
    }
    best
}

/// Returns the parts of the keys after the salts; empty if too few keys have a place for such a
/// salt.
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

fn with_salt(times: &ReverseTime, salt: impl Into<SaltSettings>) -> DesignSettings {
    ReverseTime {
        salt: Some(salt.into()),
        ..times.clone()
    }
    .into()
}
