//! What each design would do to the keys: the sample is written as the design writes it, and counted by tablet.

mod candidates;
mod interval;
mod load;
mod parts;
mod scans;
mod without_key;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use fluo_core::Bytes;
use foldhash::quality::FixedState;
use serde::Serialize;

use self::load::{Splits, Written};
use self::without_key::Refusals;
use crate::advisor::{KeyProfile, SampledKey};
use crate::key_design::{DesignError, DesignErrorKind, KeyDesign};

pub use self::candidates::Candidate;
pub use self::interval::Estimate;
pub use self::load::{ChiSquare, LoadForecast, TailForecast};
pub use self::parts::PartSizes;
pub use self::scans::{ScanCost, ScanCosts};
pub use self::without_key::WithoutKey;

/// What a design would do to the keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DesignForecast {
    /// The design and the tablets it was tried in.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// What an example key becomes: the first of the sample that the design takes.
    pub example: Option<Example>,
    /// The keys of the sample that the design has no key for, if they are few enough to judge it by the others: at most
    /// 1 %. `None` if it takes all of them, and if it is refused.
    pub without_key: Option<WithoutKey>,
    /// What came of it.
    pub result: ForecastResult,
}

/// A row and its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// The row, in the escaped form.
    pub row: String,
    /// Its key, in the escaped form.
    pub key: String,
}

/// Whether the keys can have the design, and then what it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ForecastResult {
    /// They can.
    Possible {
        /// The load of its tablets.
        load: Box<LoadForecast>,
        /// What reads cost.
        scans: ScanCosts,
    },
    /// They cannot, as more than 1 % of the sample has no key in the design, or the design cannot have so many tablets:
    /// why, and for how many keys of the sample.
    Refused {
        /// The reason, as the design gives it for the first such key.
        reason: String,
        /// How many keys of the sample; 0 where the design itself is at fault.
        keys: u64,
    },
}

impl DesignForecast {
    /// Tries a design on the sample of a profile.
    ///
    /// ```
    /// use fluo_recipes::Modulo;
    /// use fluo_recipes::advisor::{Candidate, DesignForecast, ForecastResult, ProfileBuilder, ProfileSettings};
    ///
    /// let mut builder = ProfileBuilder::new(ProfileSettings::default());
    /// for id in (0..10_000).map(|id| id * 10) {
    ///     builder.push(id.to_string().as_bytes());
    /// }
    /// let candidate = Candidate::new("modulo 10", Modulo::default(), 10);
    /// let forecast = DesignForecast::of(&builder.finish(), candidate);
    /// let ForecastResult::Possible { load, .. } = forecast.result else { unreachable!() };
    /// assert!(load.largest_over_mean.value < 2.0);
    /// ```
    #[must_use]
    pub fn of(profile: &KeyProfile, candidate: Candidate) -> Self {
        match KeyDesign::new(candidate.settings.clone()) {
            Ok(design) => {
                let drawing = design.with_salt_source(source(profile.sample.seed));
                Self::of_design(profile, candidate, &drawing)
            }
            Err(error) => Self::refused(candidate, &error, 0),
        }
    }

    /// The load and the scans, where the design is possible.
    #[must_use]
    pub fn possible(&self) -> Option<(&LoadForecast, &ScanCosts)> {
        match &self.result {
            ForecastResult::Possible { load, scans } => Some((load, scans)),
            ForecastResult::Refused { .. } => None,
        }
    }

    fn of_design(profile: &KeyProfile, candidate: Candidate, design: &KeyDesign) -> Self {
        let mut written = Vec::with_capacity(profile.sample.keys.len());
        let mut refusals = Refusals::default();
        for sampled in &profile.sample.keys {
            match design.add(&sampled.key) {
                Ok(key) => {
                    let head = design
                        .unsalted(&key)
                        .map_or(0, |rest| key.len() - rest.len());
                    written.push(Written {
                        arrival: sampled.arrival,
                        row: &sampled.key,
                        key,
                        part: part(design, sampled),
                        head,
                    });
                }
                Err(error) => refusals.add(sampled, error),
            }
        }
        let without_key = match refusals.judged(profile.sample.len) {
            Ok(without_key) => without_key,
            Err((error, keys)) => return Self::refused(candidate, &error, keys),
        };
        let splits = match splits(profile, &candidate, design, &written) {
            Ok(splits) => splits,
            Err(error) => return Self::refused(candidate, &error, 0),
        };
        let scans = ScanCosts::of(design, profile);
        let largest = largest_part(design, &written);
        let load = LoadForecast::of(&written, splits, profile, largest);
        Self {
            candidate,
            example: written.first().map(|written| Example {
                row: fluo_core::Escaped(written.row).to_string(),
                key: fluo_core::Escaped(&written.key).to_string(),
            }),
            without_key,
            result: ForecastResult::Possible {
                load: Box::new(load),
                scans,
            },
        }
    }

    fn refused(candidate: Candidate, error: &DesignError, keys: u64) -> Self {
        let reason = error.to_string();
        Self {
            candidate,
            example: None,
            without_key: None,
            result: ForecastResult::Refused { reason, keys },
        }
    }
}

/// The salted part of a key, as a hash. Where salts are drawn, each key falls by itself; where there are none, each row.
fn part(design: &KeyDesign, sampled: &SampledKey) -> u64 {
    if design.draws_salts() {
        return sampled.arrival;
    }
    match design.salted_part(&sampled.key) {
        Ok(Some(part)) => hash(&part),
        _ => hash(&sampled.key),
    }
}

/// Returns what the most keys share of what is salted, if that is not the whole row.
fn largest_part(design: &KeyDesign, written: &[Written<'_>]) -> Option<Bytes> {
    if !design.keeps_rows_together() {
        return None;
    }
    let mut sizes: HashMap<u64, (usize, usize)> = HashMap::new();
    for (place, written) in written.iter().enumerate() {
        sizes.entry(written.part).or_insert((0, place)).0 += 1;
    }
    let by_size = |(size, place): &(usize, usize)| (*size, Reverse(*place));
    let (_, place) = sizes.into_values().max_by_key(by_size)?;
    let part = design.salted_part(written.get(place)?.row);
    Some(part.ok()??.into_owned().into())
}

fn hash(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Where random salts come from: the same seed draws the same.
fn source(seed: u64) -> impl Fn() -> u64 + Send + Sync + 'static {
    let rng = Mutex::new(fastrand::Rng::with_seed(seed));
    move || {
        let drawing = rng.lock();
        drawing.unwrap_or_else(PoisonError::into_inner).u64(..)
    }
}

/// The design's own split points; by the sample where a design without a salt has none.
fn splits(
    profile: &KeyProfile,
    candidate: &Candidate,
    design: &KeyDesign,
    written: &[Written<'_>],
) -> Result<Splits, DesignError> {
    let tablets = candidate.tablets;
    if let Some(points) = &candidate.split_points {
        return Ok(Splits {
            points: points.clone(),
            are_of_the_sample: false,
            weights: None,
        });
    }
    match design.splits(tablets) {
        Ok(points) => Ok(Splits {
            points,
            are_of_the_sample: false,
            weights: design.tablet_weights(tablets)?,
        }),
        Err(error)
            if error.kind() == DesignErrorKind::Splits
                && tablets > 0
                && written.iter().all(|written| written.head == 0) =>
        {
            Ok(Splits::at_quantiles(written, profile, tablets))
        }
        Err(error) => Err(error),
    }
}
