//! The effect of each design on the keys: the sample is written as the design writes it, and
//! counted by tablet.

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

use fluo_keys::{KeyDesign, RecipeError, RecipeErrorKind};
use fluo_table::Bytes;
use foldhash::quality::FixedState;
use serde::Serialize;

use self::load::{Splits, Written};
use self::without_key::Refusals;
use crate::{KeyProfile, SampledKey};

pub use self::candidates::Candidate;
pub use self::interval::Estimate;
pub use self::load::{LoadForecast, TailForecast};
pub use self::parts::PartSizes;
pub use self::scans::ScanCosts;
pub use self::without_key::WithoutKey;

/// The effect of a design on the keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DesignForecast {
    /// The design and the tablets it was tried in.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The first row of the sample that the design accepts, with its key.
    pub example: Option<Example>,
    /// The keys of the sample that the design rejects, if they are at most 1 % of it. `None` if the
    /// design accepts all of them, and if it is refused.
    pub without_key: Option<WithoutKey>,
    /// The forecast, or the reason of the refusal.
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

/// The result of trying a design on the keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ForecastResult {
    /// The design accepts the keys.
    Possible {
        /// The load of its tablets.
        load: Box<LoadForecast>,
        /// The costs of reads.
        scans: ScanCosts,
    },
    /// The design rejects more than 1 % of the sample, or it cannot have the wanted tablets.
    Refused {
        /// The message of the design about the first such key.
        reason: String,
        /// The number of rejected keys of the sample; 0 if the design itself is at fault.
        keys: u64,
    },
}

impl DesignForecast {
    /// Tries a design on the sample of a profile.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::Modulo;
    /// use fluo_advisor::{
    ///     Candidate, DesignForecast, ForecastResult, ProfileBuilder, ProfileOptions,
    /// };
    ///
    /// let mut builder = ProfileBuilder::new(ProfileOptions::new());
    /// for id in (0..10_000).map(|id| id * 10) {
    ///     builder.push(id.to_string().as_bytes());
    /// }
    /// let candidate = Candidate::new("modulo 10", Modulo::default(), 10);
    /// let forecast = DesignForecast::new(&builder.finish(), candidate);
    /// let ForecastResult::Possible { load, .. } = forecast.result else { unreachable!() };
    /// assert!(load.largest_over_mean.value < 2.0);
    /// ```
    #[must_use]
    pub fn new(profile: &KeyProfile, candidate: Candidate) -> Self {
        match KeyDesign::new(candidate.settings.clone()) {
            Ok(design) => {
                let drawing = design.with_salt_source(source(profile.sample.seed));
                Self::with_design(profile, candidate, &drawing)
            }
            Err(error) => Self::refused(candidate, &error, 0),
        }
    }

    /// Returns the load and the costs of scans; `None` if the design is refused.
    #[must_use]
    pub fn possible(&self) -> Option<(&LoadForecast, &ScanCosts)> {
        match &self.result {
            ForecastResult::Possible { load, scans } => Some((load, scans)),
            ForecastResult::Refused { .. } => None,
        }
    }

    fn with_design(profile: &KeyProfile, candidate: Candidate, design: &KeyDesign) -> Self {
        let mut written = Vec::with_capacity(profile.sample.keys.len());
        let mut refusals = Refusals::default();
        for sampled in &profile.sample.keys {
            match design.encode_row(&sampled.key) {
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
        let scans = ScanCosts::new(design, profile);
        let largest = largest_part(design, &written);
        let load = LoadForecast::new(&written, splits, profile, largest);
        Self {
            candidate,
            example: written.first().map(|written| Example {
                row: fluo_table::Escaped(written.row).to_string(),
                key: fluo_table::Escaped(&written.key).to_string(),
            }),
            without_key,
            result: ForecastResult::Possible {
                load: Box::new(load),
                scans,
            },
        }
    }

    fn refused(candidate: Candidate, error: &RecipeError, keys: u64) -> Self {
        let reason = error.to_string();
        Self {
            candidate,
            example: None,
            without_key: None,
            result: ForecastResult::Refused { reason, keys },
        }
    }
}

/// Returns the hash of the salted part of a key. A design with random salts distributes each key by
/// itself, and a design without salts each row.
fn part(design: &KeyDesign, sampled: &SampledKey) -> u64 {
    if design.draws_salts() {
        return sampled.arrival;
    }
    match design.salted_part(&sampled.key) {
        Ok(Some(part)) => hash(&part),
        _ => hash(&sampled.key),
    }
}

/// Returns the salted part that the most keys share, unless it is the whole row.
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

/// Returns a source of random salts. The same seed gives the same salts.
fn source(seed: u64) -> impl Fn() -> u64 + Send + Sync + 'static {
    let rng = Mutex::new(fastrand::Rng::with_seed(seed));
    move || {
        let drawing = rng.lock();
        drawing.unwrap_or_else(PoisonError::into_inner).u64(..)
    }
}

/// Returns the design's own split points, or points from the sample if a design without a salt has
/// none.
fn splits(
    profile: &KeyProfile,
    candidate: &Candidate,
    design: &KeyDesign,
    written: &[Written<'_>],
) -> Result<Splits, RecipeError> {
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
            if matches!(
                error.kind(),
                RecipeErrorKind::Splits | RecipeErrorKind::NoEvenSplits
            ) && tablets > 0
                && written.iter().all(|written| written.head == 0) =>
        {
            Ok(Splits::at_quantiles(written, profile, tablets))
        }
        Err(error) => Err(error),
    }
}
