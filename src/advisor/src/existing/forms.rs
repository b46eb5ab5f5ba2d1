//! Designs without a computed salt, recognised by the form of their keys and the split points of
//! their table.

use std::collections::HashSet;

use fluo_keys::{DesignSettings, KeyDesign, RandomSalt, Reversed, RowAlphabet, RowLength};
use fluo_table::Bytes;

use super::layout;
use super::salts::{counts, is_counted_down, is_spread, looked_at, numbers, separators, times_of};
use crate::number::float_len;

/// The least number of keys that show their form.
const LEAST_KEYS: usize = 8;
/// The share of the keys that must have the form.
const NEARLY_ALL: f64 = 0.9;
const ALPHABETS: [RowAlphabet; 5] = [
    RowAlphabet::Digits,
    RowAlphabet::Hex,
    RowAlphabet::Lower,
    RowAlphabet::Printable,
    RowAlphabet::Bytes,
];

/// Returns the design whose form nearly all keys have. The split points show what keys alone do
/// not.
pub(super) fn by_form(keys: &[&[u8]], splits: &[Bytes]) -> Option<DesignSettings> {
    if keys.len() < LEAST_KEYS {
        return None;
    }
    let some = looked_at(keys);
    reverse_time(&some)
        .or_else(|| reversed_with_length(&some, splits))
        // A selection of regular keys may all end alike.
        .or_else(|| reversed(keys, splits))
        .or_else(|| random_salt(keys, splits))
}

fn are_nearly_all(keys: &[&[u8]], is_one: impl Fn(&[u8]) -> bool) -> bool {
    let all = keys.iter().filter(|key| is_one(key)).count();
    float_len(all) >= float_len(keys.len()) * NEARLY_ALL
}

fn are_keys(keys: &[&[u8]], settings: &DesignSettings) -> bool {
    let design = KeyDesign::new(settings.clone());
    design.is_ok_and(|design| are_nearly_all(keys, |key| design.decode_key(key).is_ok()))
}

fn reverse_time(keys: &[&[u8]]) -> Option<DesignSettings> {
    let mut forms = times_of(keys).into_iter();
    forms.find_map(|times| {
        let is_timed = are_nearly_all(keys, |key| is_counted_down(&times, key));
        let settings = DesignSettings::from(times);
        (is_timed && are_keys(keys, &settings)).then_some(settings)
    })
}

/// Recognises rows that are followed by their length: 5 bytes that agree with the key.
fn reversed_with_length(keys: &[&[u8]], splits: &[Bytes]) -> Option<DesignSettings> {
    let settings = Reversed::new(RowLength::Stored);
    let is_one = are_keys(keys, &settings.clone().into());
    is_one.then(|| with_alphabet_of(settings, splits).into())
}

/// Returns the design with the alphabet whose even split points the table has, if there is one.
fn with_alphabet_of(settings: Reversed, splits: &[Bytes]) -> Reversed {
    let with = |alphabet| Reversed {
        alphabet: Some(alphabet),
        ..settings.clone()
    };
    let is_split = |settings: &Reversed| {
        let design = KeyDesign::new(settings.clone()).ok();
        let tablets = u32::try_from(splits.len() + 1).unwrap_or(u32::MAX);
        let points = design.and_then(|design| design.splits(tablets).ok());
        points.is_some_and(|points| points == splits)
    };
    let found = ALPHABETS.map(with).into_iter().find(is_split);
    found.unwrap_or(settings)
}

/// Recognises reversed counters: keys of one length that vary at their beginning and not at their
/// end, in a table that is split evenly in the alphabet of their beginnings. Keys in their own
/// order vary at their end.
fn reversed(keys: &[&[u8]], splits: &[Bytes]) -> Option<DesignSettings> {
    let length = keys.get(keys.len() / 2)?.len();
    if splits.is_empty() || length < 2 {
        return None;
    }
    let settings = with_alphabet_of(Reversed::new(RowLength::Fixed(length)), splits);
    let different = |place: usize| {
        let bytes = keys.iter().filter_map(|key| key.get(place));
        bytes.collect::<HashSet<_>>().len()
    };
    let is_backwards = different(0) >= different(length - 1) * 2;
    let is_even = settings.alphabet.is_some();
    let settings = settings.into();
    (is_even && is_backwards && are_keys(keys, &settings)).then_some(settings)
}

/// Recognises buckets that are not computed from the row, in a table that is split evenly between
/// them.
fn random_salt(keys: &[&[u8]], splits: &[Bytes]) -> Option<DesignSettings> {
    let digits = splits.first()?.len();
    if !(2..=5).contains(&digits) {
        return None;
    }
    let numbers = numbers(keys, digits);
    let split_for = layout::buckets_of(splits)?;
    // The largest salt gives the number of buckets, unless a row of another kind looks like a
    // larger salt.
    let largest = numbers.last().map(|largest| largest + 1);
    let all = largest.into_iter().chain(counts(&numbers, digits).rev());
    let buckets: Vec<_> = all
        .filter(|buckets| split_for.contains(buckets))
        .filter(|buckets| is_split_for(*buckets, splits) && is_spread(&numbers, *buckets))
        .collect();
    let some = looked_at(keys);
    let rests: Vec<_> = some.iter().filter_map(|key| key.get(digits..)).collect();
    let separators = separators(&rests).into_iter().filter(|separator| {
        let has_one = |rest: &[u8]| rest.starts_with(separator.as_bytes());
        is_symmetric(separator) && are_nearly_all(&rests, has_one)
    });
    separators
        .flat_map(|separator| {
            let with = move |count: &u32| (separator.clone(), *count);
            buckets.iter().map(with)
        })
        .map(|(separator, buckets)| {
            DesignSettings::from(RandomSalt {
                separator,
                ..RandomSalt::new(buckets)
            })
        })
        .find(|settings| are_keys(&some, settings))
}

/// Checks whether a separator is the same backwards, as `|` and ` - ` are. Random salts do not
/// prove their separator: the other characters of `|/` are likely part of the rows.
fn is_symmetric(separator: &str) -> bool {
    separator.chars().eq(separator.chars().rev())
}

/// Checks whether these are the even split points of this many random salts. A split point has no
/// separator.
fn is_split_for(buckets: u32, splits: &[Bytes]) -> bool {
    let design = KeyDesign::new(RandomSalt::new(buckets)).ok();
    let tablets = u32::try_from(splits.len() + 1).unwrap_or(u32::MAX);
    let points = design.and_then(|design| design.splits(tablets).ok());
    points.is_some_and(|points| points == splits)
}
