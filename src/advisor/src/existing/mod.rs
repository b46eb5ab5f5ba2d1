//! Recognition of the designs that keys already have.
//!
//! A table that is hashed or salted needs no second salt. Its designs are recognized by three
//! signs:
//!
//! - **The keys.** A salt that is computed from the row is computed again. Some keys agree by
//!   chance, so a design is recognized only if chance gives that many once in 2^64. If all rows
//!   share one salt, the split points are a part of the proof, or the caller, who names the design.
//! - **The split points.** They show the number of tablets of each design, and the row hashers for
//!   which the table was made, even if no row is hashed.
//! - **The pattern of the balancer's groups.** It shows the order of the row hashers, and groups of
//!   other recipes.
//!
//! Keys of no recognized design are counted: they were loaded without the design, or are rows of
//! another kind. If they only [look salted](seem_salted), they are not taken for plain rows.

mod design;
mod evidence;
mod hashers;
mod layout;
mod salts;
#[cfg(test)]
mod tests;
mod unknown_salts;

use fluo_keys::KeyDesign;
use fluo_table::{Bytes, Escaped};
use serde::Serialize;

pub use self::design::ExistingDesign;
use self::design::sort_by_groups;
pub use self::layout::AdvisedLayout;
pub(crate) use self::unknown_salts::seem_salted;
use crate::{KeyProfile, ProfileBuilder};
use fluo_keys::number::share;

/// The share of the keys from which a design is recognized if no split point shows it.
pub(super) const MAX_KEYS: f64 = 0.5;

/// The properties of an existing table that advice uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExistingTable {
    /// The number of servers that can host its tablets.
    pub servers: u32,
    /// Its split points, ascending.
    pub splits: Vec<Bytes>,
    /// The pattern of its balancer's groups, if the property is set.
    pub group_pattern: Option<String>,
}

/// Keys that belong to none of the recognized designs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OtherKeys {
    /// The number of these keys in the sample.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// The first of them in order of arrival, or in the order of the table; in the escaped form.
    pub first: String,
}

#[derive(Debug, Default)]
pub(super) struct Existing {
    /// The designs, in the order of the balancer's groups: several row hashers, or one design.
    pub(super) designs: Vec<ExistingDesign>,
    /// The rows of the keys of each design, as a profile.
    pub(super) rows: Vec<KeyProfile>,
    pub(super) others: Option<OtherKeys>,
    /// `true` if the balancer's pattern has groups of other recipes.
    pub(super) has_other_groups: bool,
}

impl Existing {
    /// Recognizes the designs of keys. `named` are designs that the keys may have, as the caller
    /// states.
    pub(super) fn new(
        profile: &KeyProfile,
        table: Option<&ExistingTable>,
        named: &[KeyDesign],
    ) -> Self {
        let splits = table.map_or(&[][..], |table| &table.splits);
        let sample = &profile.sample.keys;
        let mut keys: Vec<&[u8]> = sample.iter().map(|sampled| sampled.key.as_ref()).collect();
        // The sample is sorted, so equal keys are neighbors.
        keys.dedup();
        let hashers = hashers::found(&keys, splits).into_iter();
        let hashers = hashers.filter_map(|hashed| KeyDesign::new(hashed).ok());
        let existing = Self::with(hashers, table, profile);
        if existing.is_proven() {
            return existing;
        }
        let existing = Self::with(salts::found(&keys, splits, named).into_iter(), table, profile);
        if existing.is_proven() { existing } else { Self::default() }
    }

    fn with(
        designs: impl Iterator<Item = KeyDesign>,
        table: Option<&ExistingTable>,
        profile: &KeyProfile,
    ) -> Self {
        let splits = table.map_or(&[][..], |table| &table.splits);
        let designs = designs.map(|design| ExistingDesign::new(design, splits)).collect();
        let mut existing = Self { designs, ..Self::default() };
        if let Some(pattern) = table.and_then(|table| table.group_pattern.as_deref()) {
            existing.has_other_groups = !sort_by_groups(&mut existing.designs, pattern);
        }
        existing.assign(profile);
        existing
    }

    /// Checks whether the table is split for the designs, or they are those of most keys.
    fn is_proven(&self) -> bool {
        let share: f64 = self.designs.iter().map(|design| design.share).sum();
        share >= MAX_KEYS || self.designs.iter().any(ExistingDesign::has_own_tablets)
    }

    fn assign(&mut self, profile: &KeyProfile) {
        let sample = &profile.sample;
        let builder = |_: &ExistingDesign| ProfileBuilder::new(profile.order.arrivals);
        let mut rows: Vec<_> = self.designs.iter().map(builder).collect();
        let mut others = 0;
        let mut first = None;
        let mut by_arrival: Vec<_> = sample.keys.iter().collect();
        by_arrival.sort_unstable_by_key(|sampled| sampled.arrival);
        for sampled in by_arrival {
            let decoded = |own: &ExistingDesign| own.design.decode_key(&sampled.key).ok();
            let owner = self.designs.iter().zip(&mut rows);
            let owner = owner.filter_map(|(design, rows)| Some((decoded(design)?, rows))).next();
            match owner {
                Some((row, rows)) => rows.push(&row),
                None => {
                    others += 1;
                    first.get_or_insert_with(|| Escaped(&sampled.key).to_string());
                }
            }
        }
        self.others =
            first.map(|first| OtherKeys { keys: others, share: share(others, sample.len), first });
        self.rows = rows.into_iter().map(ProfileBuilder::finish).collect();
        for (rows, design) in self.rows.iter_mut().zip(&mut self.designs) {
            rows.sample.is_complete = sample.is_complete;
            design.keys = rows.keys;
            design.share = share(rows.keys, sample.len);
        }
    }
}
