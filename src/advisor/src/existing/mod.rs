//! Recognition of the designs that keys already have.
//!
//! A table that is hashed or salted needs no second salt. Its designs are recognised by three
//! signs:
//!
//! - **The keys.** A salt that is computed from the row is computed again. Some keys agree by
//!   chance, so a design is recognised only if chance gives that many once in 2^64. A table can
//!   contain rows of several designs, so not all keys need to agree. If all rows share one salt,
//!   the split points are a part of the proof.
//! - **The split points.** They show the number of tablets of each design, the newest of several
//!   designs, and the row hashers for which the table was made, even if no row is hashed. Random
//!   salts and reversed counters have no other sign.
//! - **The pattern of the balancer's groups.** It shows the order of the recipes, and groups of
//!   other recipes.
//!
//! Keys that no design explains are counted: they were loaded without the design, or are rows of
//! another kind.

mod evidence;
mod forms;
mod hashers;
mod layout;
mod look;
mod recipes;
mod salts;
#[cfg(test)]
mod tests;

use fluo_keys::{DesignSettings, KeyDesign};
use fluo_table::{Bytes, Escaped};
use serde::Serialize;

pub use self::look::SaltedLook;
pub use self::recipes::ExistingRecipe;
pub(super) use self::recipes::name;
use super::profile::SampledKey;
use super::{KeyProfile, ProfileBuilder, ProfileOptions};
use crate::number::share;

/// The share of the keys from which a design is recognised if no split point shows it.
pub(super) const MOST_KEYS: f64 = 0.5;

/// The maximum length of a key that is compared with designs other than row hashers: hundreds of
/// them digest each key.
const LOOKED_AT_KEY_BYTES: usize = 4_096;

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

impl ExistingTable {
    /// Returns the number of its tablets.
    pub(super) fn tablets(&self) -> u64 {
        crate::number::count(self.splits.len()) + 1
    }
}

/// Keys that belong to none of the recognised designs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OtherKeys {
    /// The number of these keys in the sample.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// The first of them in order of arrival, or in the order of the table; in the escaped form.
    pub first: String,
    /// Their look, if an unknown design seems to have salted or hashed them.
    pub look: Option<SaltedLook>,
}

/// The designs that keys and their table have already.
#[derive(Debug, Default)]
pub(super) struct Existing {
    /// The recipes, in the order of the balancer's groups.
    pub(super) recipes: Vec<ExistingRecipe>,
    /// The rows of the keys of each recipe, as a profile.
    pub(super) rows: Vec<KeyProfile>,
    pub(super) others: Option<OtherKeys>,
    /// Designs of too few keys, or that no spec can contain together with the recipes.
    pub(super) apart: Vec<(DesignSettings, u64)>,
    /// The look of the keys, if there is no recipe and an unknown design seems to have salted or
    /// hashed most keys.
    pub(super) look: Option<SaltedLook>,
    /// Groups of the balancer's pattern that belong to no recipe here.
    pub(super) unknown_groups: Option<String>,
}

impl Existing {
    /// Recognises the designs of keys and of their table.
    pub(super) fn new(profile: &KeyProfile, table: Option<&ExistingTable>) -> Self {
        let splits = table.map_or(&[][..], |table| &table.splits);
        let designs = designs(&profile.sample.keys, splits);
        let keys = |settings: &DesignSettings| agreeing(settings, &profile.sample.keys);
        let (mut recipes, apart) = recipes::recipes(designs, splits, keys);
        if let Some(pattern) = table.and_then(|table| table.group_pattern.as_deref()) {
            recipes::sort_by_groups(&mut recipes, pattern);
        }
        let mut existing = Self {
            recipes,
            ..Self::default()
        };
        existing.apart = apart
            .into_iter()
            .map(|settings| {
                let keys = keys(&settings);
                (settings, keys)
            })
            .collect();
        existing.assign(profile);
        let keys: u64 = existing.recipes.iter().map(|recipe| recipe.keys).sum();
        let is_split = existing.recipes.iter().any(ExistingRecipe::has_own_tablets);
        if !is_split && share(keys, profile.sample.len) < MOST_KEYS {
            let designs = std::mem::take(&mut existing.recipes).into_iter();
            let few = designs.map(|recipe| (recipe.settings, recipe.keys));
            let most = existing.others.filter(|others| others.share > MOST_KEYS);
            return Self {
                apart: few.chain(existing.apart).collect(),
                look: most.and_then(|others| others.look),
                ..Self::default()
            };
        }
        existing.unknown_groups = table
            .and_then(|table| table.group_pattern.as_deref())
            .and_then(|pattern| recipes::unknown_groups(&existing.recipes, pattern));
        existing
    }

    /// Assigns each key of the sample to its recipe.
    fn assign(&mut self, profile: &KeyProfile) {
        let designs: Vec<_> = self
            .recipes
            .iter()
            .enumerate()
            .flat_map(|(place, recipe)| {
                recipe
                    .designs()
                    .map(move |(design, is_newest)| (place, design, is_newest))
            })
            .collect();
        let apart = self.apart.iter();
        let apart: Vec<_> = apart
            .filter_map(|(settings, _)| KeyDesign::new(settings.clone()).ok())
            .collect();
        let mut by_arrival: Vec<_> = profile.sample.keys.iter().collect();
        by_arrival.sort_unstable_by_key(|sampled| sampled.arrival);
        let options = ProfileOptions::new()
            .seed(profile.sample.seed)
            .arrivals(profile.order.arrivals);
        let mut rows: Vec<_> = self
            .recipes
            .iter()
            .map(|_| ProfileBuilder::new(options))
            .collect();
        let mut others = Vec::new();
        for sampled in by_arrival {
            let owner = designs.iter().find_map(|(place, design, is_newest)| {
                Some((*place, design.decode_key(&sampled.key).ok()?, *is_newest))
            });
            let Some((place, row, is_newest)) = owner else {
                if !apart
                    .iter()
                    .any(|design| design.decode_key(&sampled.key).is_ok())
                {
                    self.count_other(sampled, profile.sample.len);
                    others.push(sampled.key.as_ref());
                }
                continue;
            };
            if let Some((recipe, rows)) = self.recipes.get_mut(place).zip(rows.get_mut(place)) {
                recipe.count(is_newest, profile.sample.len);
                rows.push(&row);
            }
        }
        if let Some(found) = &mut self.others {
            others.sort_unstable();
            others.dedup();
            found.look = SaltedLook::for_keys(&others);
        }
        self.rows = rows
            .into_iter()
            .map(|rows| {
                let mut rows = rows.finish();
                rows.sample.is_complete = profile.sample.is_complete;
                rows
            })
            .collect();
    }

    fn count_other(&mut self, sampled: &SampledKey, of: u64) {
        let others = self.others.get_or_insert_with(|| OtherKeys {
            keys: 0,
            share: 0.0,
            first: Escaped(&sampled.key).to_string(),
            look: None,
        });
        others.keys += 1;
        others.share = share(others.keys, of);
    }

    pub(super) fn is_none(&self) -> bool {
        self.recipes.is_empty()
    }
}

/// Returns the designs of the keys, those of the most keys first, and those of the split points.
fn designs(sample: &[SampledKey], splits: &[Bytes]) -> Vec<DesignSettings> {
    let mut keys: Vec<&[u8]> = sample.iter().map(|sampled| sampled.key.as_ref()).collect();
    // The sample is sorted, so equal keys are neighbours.
    keys.dedup();
    let mut hashers = hashers::by_keys(keys.iter().copied());
    for hasher in hashers::by_splits(splits) {
        if !hashers.iter().any(|found| found.prefix == hasher.prefix) {
            hashers.push(hasher);
        }
    }
    let mut found: Vec<DesignSettings> = hashers.into_iter().map(Into::into).collect();
    let made: Vec<_> = found
        .iter()
        .filter_map(|settings| KeyDesign::new(settings.clone()).ok())
        .collect();
    keys.retain(|key| !made.iter().any(|design| design.decode_key(key).is_ok()));
    keys.retain(|key| key.len() <= LOOKED_AT_KEY_BYTES);
    let salted = salts::by_keys(keys.clone());
    if salted.is_empty() && found.is_empty() {
        found.extend(forms::by_form(&keys, splits).or_else(|| salts::by_splits(&keys, splits)));
    }
    found.extend(salted);
    found
}

fn agreeing(settings: &DesignSettings, sample: &[SampledKey]) -> u64 {
    let Ok(design) = KeyDesign::new(settings.clone()) else {
        return 0;
    };
    let own = sample
        .iter()
        .filter(|sampled| design.decode_key(&sampled.key).is_ok());
    crate::number::count(own.count())
}
