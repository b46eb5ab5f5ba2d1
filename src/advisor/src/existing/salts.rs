//! Digest salts, moduli and web tables, recognized by the salts of their keys.
//!
//! The form of a design is read from the keys: the digits of the salt, the characters after it, and
//! the characters that can end the salted part of a row. Each design of such a form is computed
//! again for some of the keys. So is each design that the caller names, whatever its form.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use fluo_keys::{
    DesignSettings, Digest, DigestSalt, DigestSide, DomainDirection, HashInput, KeyDesign, Modulo,
    SaltedPart, WebPart, WebTable,
};
use fluo_table::Bytes;

use super::evidence::{MIN_BITS, MIN_BITS_IF_SHOWN, agreeing};
use super::layout::{AdvisedLayout, buckets_of, layout};
use fluo_keys::number::{float, float_len};

/// The maximum number of different keys that are examined.
const LOOKED_AT_KEYS: usize = 256;
/// The maximum length of a key that is examined: hundreds of designs digest each key.
const LOOKED_AT_KEY_BYTES: usize = 4_096;
const MAX_DIGITS: u8 = 8;
const DIGESTS: [(Digest, DigestSide); 4] = [
    (Digest::Md5, DigestSide::First),
    (Digest::Md5, DigestSide::Last),
    (Digest::Sha1, DigestSide::First),
    (Digest::Sha1, DigestSide::Last),
];
const WEB_SALTS: [(WebPart, DomainDirection); 4] = [
    (WebPart::RegistrableDomain, DomainDirection::Forward),
    (WebPart::RegistrableDomain, DomainDirection::Reversed),
    (WebPart::Host, DomainDirection::Forward),
    (WebPart::Host, DomainDirection::Reversed),
];
const WEB_SEPARATOR: &str = ":";
const BUCKET_DIGITS: RangeInclusive<usize> = 2..=6;
const SEPARATOR_BYTES: usize = 8;
/// The number of salts that are compared first with a number of buckets.
const COMPARED_FIRST: usize = 16;

struct Tried {
    settings: DesignSettings,
    /// The chance that a key agrees with it.
    chance: f64,
    /// `true` if only the split points can prove the design.
    needs_splits: bool,
    /// `true` if the split points, or the caller, show the design, so that less evidence suffices.
    is_shown: bool,
}

/// Returns the design with which the most of the keys agree, if at least half of them do. `named`
/// are designs that the keys may have, as the caller states.
pub(super) fn found(keys: &[&[u8]], splits: &[Bytes], named: &[KeyDesign]) -> Option<KeyDesign> {
    let short = keys.iter().filter(|key| key.len() <= LOOKED_AT_KEY_BYTES);
    let short: Vec<&[u8]> = short.copied().collect();
    let step = short.len().div_ceil(LOOKED_AT_KEYS).max(1);
    let keys: Vec<_> = short.iter().copied().step_by(step).collect();
    let mut tried: Vec<_> = named.iter().filter_map(of_caller).collect();
    tried.extend(digests(&keys));
    tried.extend(moduli(&keys, splits));
    for design in &mut tried {
        design.is_shown |= is_split(&design.settings, splits);
    }
    tried.retain(|design| design.is_shown || !design.needs_splits);
    let number = tried.iter().filter(|design| design.is_shown).count();
    let bits_if_shown = MIN_BITS_IF_SHOWN + float_len(number.max(1)).log2();
    let mut best = None;
    for Tried { settings, chance, is_shown, .. } in tried {
        let least = if is_shown { bits_if_shown } else { MIN_BITS };
        let design = KeyDesign::new(settings).ok()?;
        let agree = agreeing(&design, &keys, chance, least);
        // A design that draws its salts proves nothing, so any other one is better. Of designs with
        // which the same keys agree, the first is recognized.
        let rank = agree.map(|agree| (!design.draws_salts(), agree));
        if let Some(rank) = rank
            && best.as_ref().is_none_or(|(highest, _)| rank > *highest)
        {
            best = Some((rank, design));
        }
    }
    best.map(|(_, design)| design)
}

/// Checks whether a table is split at the points of a design. A point where a tablet grew is
/// longer than a salt.
fn is_split(settings: &DesignSettings, splits: &[Bytes]) -> bool {
    let width = splits.iter().map(Bytes::len).min();
    let is_possible = match settings {
        DesignSettings::DigestSalt(salt) => width == Some(salt.digits.into()),
        DesignSettings::WebTable(web) => width == Some(web.digits.into()),
        DesignSettings::Modulo(modulo) => buckets_of(splits).contains(&modulo.buckets),
        _ => false,
    };
    let layout = || layout(&KeyDesign::new(settings.clone()).ok()?, splits);
    is_possible && matches!(layout(), Some(AdvisedLayout::Tablets(_)))
}

/// Returns a design of the caller with its chance; `None` if it has no salt, or is a row hasher,
/// which its keys show.
fn of_caller(design: &KeyDesign) -> Option<Tried> {
    let weights = design.tablet_weights(1).ok()?.filter(|_| design.row_hasher().is_none())?;
    Some(Tried {
        settings: design.settings().clone(),
        chance: 1.0 / float(weights.iter().sum()),
        needs_splits: false,
        is_shown: true,
    })
}

/// Returns the designs whose salts are hexadecimal digits. Wide salts come first, because the
/// beginning of a wide salt without a separator looks like a narrow one.
fn digests(keys: &[&[u8]]) -> Vec<Tried> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let mut all = Vec::new();
    for digits in (1..=MAX_DIGITS).rev() {
        let forms = forms(keys, digits.into(), is_digit);
        let webs = forms.contains(&(WEB_SEPARATOR.to_owned(), SaltedPart::Whole));
        let webs = webs.then(|| WEB_SALTS.map(|salt| web(digits, salt).into()));
        let salts = forms.into_iter().flat_map(|(separator, over)| {
            DIGESTS.map(|(digest, end)| {
                let (separator, over) = (separator.clone(), over.clone());
                DesignSettings::from(DigestSalt { digest, end, digits, separator, over })
            })
        });
        // Salts of one part can agree with a design of another. Pages are more likely web tables.
        let webs = webs.into_iter().flatten();
        let settings: Vec<_> = match are_pages(keys, digits) {
            true => webs.chain(salts).collect(),
            false => salts.chain(webs).collect(),
        };
        let chance = 0.0625_f64.powi(digits.into());
        let tried = |settings| Tried { settings, chance, needs_splits: false, is_shown: false };
        all.extend(settings.into_iter().map(tried));
    }
    all
}

fn web(digits: u8, (over, text): (WebPart, DomainDirection)) -> WebTable {
    WebTable { digits, over, text, ..WebTable::default() }
}

/// Checks whether at least half of the keys are clearly those of pages, in a web table of any salt
/// with this many digits.
fn are_pages(keys: &[&[u8]], digits: u8) -> bool {
    let Ok(design) = KeyDesign::new(WebTable { digits, ..WebTable::default() }) else {
        return false;
    };
    let is_page = |key: &&&[u8]| {
        let row = design.row_behind_salt(key);
        row.is_ok_and(|row| WebTable::is_web_address(&row))
    };
    keys.iter().filter(is_page).count() * 2 >= keys.len()
}

/// Returns the designs whose salts are buckets, in two digits or in as many as the largest needs.
fn moduli(keys: &[&[u8]], splits: &[Bytes]) -> Vec<Tried> {
    let mut all = Vec::new();
    for width in BUCKET_DIGITS {
        for (separator, over) in forms(keys, width, u8::is_ascii_digit) {
            for of in [HashInput::JavaHash, HashInput::Number] {
                let modulo = |buckets| {
                    let (separator, over) = (separator.clone(), over.clone());
                    Modulo { buckets, of, separator, over }
                };
                let salts = salts(&modulo(largest_of_width(width)), keys, width);
                let first = salts.first().map(|salted| salted.salt);
                let is_one = salts.iter().all(|salted| Some(salted.salt) == first);
                let tried = buckets(&salts, width, splits).into_iter();
                all.extend(tried.map(|buckets| Tried {
                    settings: modulo(buckets).into(),
                    chance: chance(&salts, buckets),
                    needs_splits: is_one,
                    is_shown: false,
                }));
            }
        }
    }
    all
}

fn largest_of_width(width: usize) -> u32 {
    10_u32.saturating_pow(u32::try_from(width).unwrap_or(u32::MAX))
}

/// A salt, and the value that it is computed from.
struct Salted {
    salt: i64,
    value: i64,
}

impl Salted {
    fn agrees(&self, buckets: u32) -> bool {
        self.value.rem_euclid(buckets.into()) == self.salt
    }
}

/// Returns the salts of the keys that have a place for one.
fn salts(modulo: &Modulo, keys: &[&[u8]], width: usize) -> Vec<Salted> {
    let Ok(design) = KeyDesign::new(modulo.clone()) else {
        return Vec::new();
    };
    let salted = |key: &&[u8]| {
        let salt = std::str::from_utf8(key.get(..width)?).ok()?.parse().ok()?;
        let row = design.row_behind_salt(key).ok()?;
        let part = design.salted_part(&row).ok()??;
        let value = modulo.of.value(&part)?;
        Some(Salted { salt, value })
    };
    keys.iter().filter_map(salted).collect()
}

/// Returns the numbers of buckets with which at least two fifths of the salts agree: those of the
/// split points, or those near the largest salt.
fn buckets(salts: &[Salted], width: usize, splits: &[Bytes]) -> Vec<u32> {
    let largest = salts.iter().map(|salted| salted.salt).max();
    let Some(near) = largest.and_then(|largest| u32::try_from(largest + 1).ok()) else {
        return Vec::new();
    };
    let of_splits = buckets_of(splits);
    // Two digits are the least, and more are as many as the largest bucket needs.
    let least = match width {
        2 => 2,
        _ => largest_of_width(width - 1) + 1,
    };
    let range = match width {
        2 => near..101,
        _ if of_splits.start >= near => of_splits,
        _ => near..near.saturating_add(near / 4 + 8),
    };
    // A tenth of all numbers of six digits may be near, so a few salts are compared first.
    let few: Vec<_> = salts.iter().step_by(salts.len().div_ceil(COMPARED_FIRST)).collect();
    let agree = |buckets: &u32| {
        few.iter().any(|salted| salted.agrees(*buckets))
            && salts.iter().filter(|salted| salted.agrees(*buckets)).count() * 5 >= salts.len() * 2
    };
    (range.start.max(least)..range.end).filter(agree).collect()
}

/// Returns the chance that a salt agrees with the value of another key. A modulus is not a hash:
/// salts and values that are all even, or all zero, agree more often than one in the number of
/// buckets.
fn chance(salts: &[Salted], buckets: u32) -> f64 {
    let mut counts: HashMap<i64, (f64, f64)> = HashMap::new();
    for Salted { salt, value } in salts {
        counts.entry(*salt).or_default().0 += 1.0;
        let bucket = value.rem_euclid(buckets.into());
        counts.entry(bucket).or_default().1 += 1.0;
    }
    let least = 1.0 / f64::from(buckets);
    if counts.len() == 1 {
        return least;
    }
    let pairs: f64 = counts.values().map(|(salts, values)| salts * values).sum();
    (pairs / float_len(salts.len().max(1)).powi(2)).max(least)
}

/// Returns the texts that may separate salts of a width from rows, the longest first, each with the
/// parts of the rows behind it. A tenth of the keys must have the form.
fn forms(keys: &[&[u8]], width: usize, is_digit: fn(&u8) -> bool) -> Vec<(String, SaltedPart)> {
    let salted = keys.iter().filter_map(|key| key.split_at_checked(width));
    let rests: Vec<_> =
        salted.filter(|(salt, _)| salt.iter().all(is_digit)).map(|(_, rest)| rest).collect();
    let mut runs: HashMap<&[u8], usize> = HashMap::new();
    for rest in &rests {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric();
        let end = rest.iter().position(is_letter).unwrap_or(rest.len());
        let run = rest.get(..end.min(SEPARATOR_BYTES)).unwrap_or_default();
        *runs.entry(run).or_default() += 1;
    }
    let longest = runs.into_iter().max_by_key(|(run, count)| (*count, *run));
    let longest = longest.map_or(&[][..], |(run, _)| run);
    let mut all = Vec::new();
    for end in (0..=longest.len()).rev() {
        let Some(separator) = longest.get(..end).and_then(|text| std::str::from_utf8(text).ok())
        else {
            continue;
        };
        let behind = rests.iter().filter_map(|rest| rest.strip_prefix(separator.as_bytes()));
        let behind: Vec<_> = behind.collect();
        if !behind.is_empty() && behind.len() * 10 >= keys.len() {
            all.extend(parts_of(&behind).map(|part| (separator.to_owned(), part)));
        }
    }
    all
}

/// Returns the parts of rows that a salt can be computed from: whole rows, and what is before a
/// character that half of the rows contain.
fn parts_of(rests: &[&[u8]]) -> impl Iterator<Item = SaltedPart> {
    let ends = (0..=127_u8).filter(|byte| !byte.is_ascii_alphanumeric());
    let is_frequent = |byte: &u8| {
        let has_it = |rest: &&&[u8]| memchr::memchr(*byte, rest).is_some_and(|place| place > 0);
        rests.iter().filter(has_it).count() * 2 >= rests.len()
    };
    let before =
        ends.filter(is_frequent).map(|byte| SaltedPart::Before(char::from(byte).to_string()));
    [SaltedPart::Whole].into_iter().chain(before)
}
