//! The keys of the sample as a design writes them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasher;

use fluo_keys::{KeyDesign, RecipeError};
use fluo_table::Bytes;
use foldhash::quality::FixedState;

use crate::profile::SampledKey;

pub(crate) struct Written<'a> {
    pub(crate) arrival: u64,
    pub(crate) row: &'a [u8],
    pub(crate) key: Bytes,
    /// The hash of the salted part: equal for keys that the design keeps together.
    pub(crate) part: u64,
    /// The number of bytes of the key before the row.
    pub(crate) head: usize,
}

impl<'a> Written<'a> {
    pub(crate) fn new(design: &KeyDesign, sampled: &'a SampledKey) -> Result<Self, RecipeError> {
        let key = design.encode_row(&sampled.key)?;
        let rest = design.unsalted(&key).map_or(key.len(), <[u8]>::len);
        Ok(Self {
            arrival: sampled.arrival,
            row: &sampled.key,
            head: key.len() - rest,
            key,
            part: part(design, sampled),
        })
    }
}

/// Returns the hash of the salted part of a key. A design with random salts distributes each key by
/// itself, and a design without salts each row.
fn part(design: &KeyDesign, sampled: &SampledKey) -> u64 {
    if design.draws_salts() {
        return sampled.arrival;
    }
    let hash = |bytes: &[u8]| FixedState::default().hash_one(bytes);
    match design.salted_part(&sampled.key) {
        Ok(Some(part)) => hash(&part),
        _ => hash(&sampled.key),
    }
}

/// Returns the salted part that the most keys share, unless it is the whole row.
pub(super) fn largest_part(design: &KeyDesign, written: &[Written<'_>]) -> Option<Bytes> {
    if !design.keeps_rows_together() {
        return None;
    }
    let mut sizes: HashMap<u64, (usize, usize)> = HashMap::new();
    for (place, written) in written.iter().enumerate() {
        sizes.entry(written.part).or_insert((0, place)).0 += 1;
    }
    let by_size = |(size, place): &(usize, usize)| (*size, Reverse(*place));
    let (_, place) = sizes.into_values().max_by_key(by_size)?;
    Some(design.salted_part(written.get(place)?.row).ok()??.into_owned().into())
}
