//! Row hashers, recognised by the hashes of their keys and by the last split point of their
//! tablets.

use std::collections::BTreeMap;

use fluo_keys::{HashScheme, HashedRows, RowHasher};
use fluo_table::Bytes;

use super::evidence::is_no_chance;
use crate::number::float_len;

/// The maximum length of a prefix.
const PREFIX_BYTES: usize = 256;
/// The chance that the four digits of a hash agree: a digit has at least 32 values.
const CHANCE: f64 = 1.0 / (32.0 * 32.0 * 32.0 * 32.0);
/// The number of characters of a hash.
const HASH_BYTES: usize = 4;
/// The end of the last split point of a hasher, after its prefix.
const END: &[u8] = b":~";

/// Returns the hashers of some of the keys, by prefix.
pub(super) fn by_keys<'a>(keys: impl Iterator<Item = &'a [u8]>) -> Vec<HashedRows> {
    let hashers: Vec<_> = HashScheme::ALL
        .iter()
        .filter_map(|scheme| {
            let hasher = RowHasher::builder("p").scheme(*scheme).build();
            Some((*scheme, hasher.ok()?))
        })
        .collect();
    let mut found: BTreeMap<(&str, &'static str), (HashScheme, usize)> = BTreeMap::new();
    let mut tried = 0;
    for key in keys {
        for (prefix, hash, row) in readings(key) {
            tried += hashers.len();
            for (scheme, hasher) in &hashers {
                if hasher.hash(row) == hash {
                    let counted = found.entry((prefix, scheme.name())).or_insert((*scheme, 0));
                    counted.1 += 1;
                }
            }
        }
    }
    let sure = found
        .into_iter()
        .filter(|(_, (_, agree))| is_no_chance(float_len(*agree), tried, CHANCE));
    sure.map(|((prefix, _), (scheme, _))| HashedRows {
        prefix: prefix.to_owned(),
        scheme,
    })
    .collect()
}

/// Returns the ways to split a key into prefix, hash and row.
fn readings(key: &[u8]) -> impl Iterator<Item = (&str, &[u8], &[u8])> {
    let head = key.get(..PREFIX_BYTES).unwrap_or(key);
    memchr::memchr_iter(b':', head).filter_map(|colon| {
        let prefix = std::str::from_utf8(key.get(..colon)?).ok()?;
        let (hash, rest) = key.get(colon + 1..)?.split_at_checked(HASH_BYTES)?;
        let row = rest.strip_prefix(b":")?;
        (!prefix.is_empty() && is_hash(hash)).then_some((prefix, hash, row))
    })
}

fn is_hash(bytes: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z');
    bytes.len() == HASH_BYTES && bytes.iter().all(is_digit)
}

/// Returns the hashers for which a table is split: each has a last split point `<prefix>:~`, and
/// all of its other points end in a hash.
pub(super) fn by_splits(splits: &[Bytes]) -> Vec<HashedRows> {
    let prefixes = splits.iter().filter_map(|split| {
        let prefix = std::str::from_utf8(split.strip_suffix(END)?).ok()?;
        let own: Vec<_> = points_of(prefix, splits).collect();
        let is_one = |split: &&Bytes| {
            split
                .get(prefix.len() + 1..)
                .is_some_and(|end| end == b"~" || is_hash(end))
        };
        (!prefix.is_empty() && own.iter().all(is_one)).then_some((prefix, own))
    });
    prefixes
        .map(|(prefix, own)| HashedRows {
            prefix: prefix.to_owned(),
            scheme: scheme_of(prefix, &own),
        })
        .collect()
}

/// Returns the split points that begin with a prefix and its colon.
pub(super) fn points_of<'a>(
    prefix: &'a str,
    splits: &'a [Bytes],
) -> impl Iterator<Item = &'a Bytes> {
    splits.iter().filter(move |split| {
        split
            .strip_prefix(prefix.as_bytes())
            .is_some_and(|rest| rest.starts_with(b":"))
    })
}

/// Returns the scheme whose even split points these are, or the default scheme if neither or both
/// match.
fn scheme_of(prefix: &str, points: &[&Bytes]) -> HashScheme {
    let is_split = |scheme: &HashScheme| {
        let hasher = RowHasher::builder(prefix).scheme(*scheme).build().ok();
        let tablets = u32::try_from(points.len()).unwrap_or(u32::MAX);
        let wanted = hasher.and_then(|hasher| hasher.splits(tablets).ok());
        wanted.is_some_and(|wanted| wanted.iter().eq(points.iter().copied()))
    };
    let found = HashScheme::ALL.iter().copied().find(is_split);
    found.unwrap_or_default()
}
