//! Row hashers, recognized by the hashes of their keys and by the last split point of their
//! tablets.

use std::collections::BTreeMap;

use fluo_keys::{HashScheme, HashedRows, RowHasher};
use fluo_table::Bytes;

use super::evidence::{MIN_BITS, bits};
use fluo_keys::number::float_len;

const PREFIX_BYTES: usize = 256;
/// The chance that the four digits of a hash agree: a digit has at least 32 values.
const CHANCE: f64 = 1.0 / (32.0 * 32.0 * 32.0 * 32.0);
const HASH_BYTES: usize = 4;
/// The end of the last split point of a hasher, after its prefix.
const END: &[u8] = b":~";

/// Returns the hashers of some of the keys, and those for which the table is split, by prefix.
pub(super) fn found(keys: &[&[u8]], splits: &[Bytes]) -> Vec<HashedRows> {
    let mut found = by_keys(keys);
    for hasher in by_splits(splits) {
        if !found.iter().any(|other| other.prefix == hasher.prefix) {
            found.push(hasher);
        }
    }
    found
}

/// Returns the hashers of some of the keys: for each prefix, the scheme of the most keys.
fn by_keys(keys: &[&[u8]]) -> Vec<HashedRows> {
    let hashers = HashScheme::ALL.iter().filter_map(|scheme| {
        // The hash does not depend on the prefix.
        RowHasher::with_scheme("p", *scheme).ok()
    });
    let hashers: Vec<RowHasher> = hashers.collect();
    let mut agree: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut tried = 0;
    for (prefix, hash, row) in keys.iter().flat_map(|key| readings(key)) {
        tried += hashers.len();
        let counts = agree.entry(prefix).or_insert_with(|| vec![0; hashers.len()]);
        for (hasher, count) in hashers.iter().zip(counts) {
            *count += usize::from(hasher.hash(row) == hash);
        }
    }
    let of_prefix = |(prefix, counts): (&str, Vec<usize>)| {
        let schemes = counts.into_iter().zip(&hashers);
        let (most, hasher) = schemes.max_by_key(|(count, _)| *count)?;
        let is_proven = bits(float_len(most), tried, CHANCE) >= MIN_BITS;
        is_proven.then(|| HashedRows { prefix: prefix.to_owned(), scheme: hasher.scheme() })
    };
    agree.into_iter().filter_map(of_prefix).collect()
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
fn by_splits(splits: &[Bytes]) -> impl Iterator<Item = HashedRows> {
    splits.iter().filter_map(|split| {
        let prefix = std::str::from_utf8(split.strip_suffix(END)?).ok()?;
        let own: Vec<_> = points_of(prefix, splits).collect();
        let is_own = |split: &&Bytes| {
            let end = split.get(prefix.len() + 1..);
            end.is_some_and(|end| end == b"~" || is_hash(end))
        };
        (!prefix.is_empty() && own.iter().all(is_own))
            .then(|| HashedRows { prefix: prefix.to_owned(), scheme: scheme_of(prefix, &own) })
    })
}

/// Returns the split points that begin with a prefix and its colon.
pub(super) fn points_of<'a>(prefix: &str, splits: &'a [Bytes]) -> impl Iterator<Item = &'a Bytes> {
    splits.iter().filter(move |split| {
        let rest = split.strip_prefix(prefix.as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b":"))
    })
}

/// Returns the scheme whose even split points these are, or the default scheme if neither or both
/// match.
fn scheme_of(prefix: &str, points: &[&Bytes]) -> HashScheme {
    let is_split = |scheme: &HashScheme| {
        let hasher = RowHasher::with_scheme(prefix, *scheme).ok();
        let tablets = u32::try_from(points.len()).unwrap_or(u32::MAX);
        let wanted = hasher.and_then(|hasher| hasher.splits(tablets).ok());
        wanted.is_some_and(|wanted| wanted.iter().eq(points.iter().copied()))
    };
    HashScheme::ALL.iter().copied().find(is_split).unwrap_or_default()
}
