//! The effect of each design on the keys: the sample is written as the design writes it, and
//! counted by tablet.

mod candidates;
mod load;
mod scans;
mod splits;
mod written;

use std::sync::{Mutex, PoisonError};

use fluo_keys::{KeyDesign, RecipeError};
use fluo_table::Escaped;
use serde::Serialize;

use self::candidates::MAX_REJECTED;
use self::splits::Splits;
use self::written::{Written, largest_part};
use crate::KeyProfile;
use fluo_keys::number::share;

pub use self::candidates::Candidate;
pub(crate) use self::load::Crowd;
pub use self::load::LoadForecast;
pub use self::scans::ScanCosts;

/// The effect of a design on the keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DesignForecast {
    /// The design and the tablets it was tried in.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The first row of the sample that the design accepts, and its key; in the escaped form.
    pub example: Option<[String; 2]>,
    /// The keys of the sample that the design rejects, if there are any.
    pub rejected: Option<RejectedKeys>,
    /// The load of its tablets; `None` if the design rejects more than 1 % of the sample, or cannot
    /// have the wanted tablets.
    pub load: Option<LoadForecast>,
    /// The costs of reads; `None` without a load.
    pub scans: Option<ScanCosts>,
}

/// Keys of the sample that a design rejects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RejectedKeys {
    /// The number of these keys; 0 if the design itself is at fault, or its number of tablets.
    pub keys: u64,
    /// The message of the design about the first of them in order of arrival. It contains the key
    /// without the password of a URL.
    pub reason: String,
}

impl DesignForecast {
    /// Tries a design on the sample of a profile.
    pub(crate) fn new(profile: &KeyProfile, candidate: Candidate) -> Self {
        let mut forecast =
            Self { candidate, example: None, rejected: None, load: None, scans: None };
        if let Err(error) = forecast.fill(profile) {
            forecast.rejected = Some(RejectedKeys { keys: 0, reason: error.to_string() });
        }
        forecast
    }

    fn fill(&mut self, profile: &KeyProfile) -> Result<(), RecipeError> {
        let sample = &profile.sample;
        let design = KeyDesign::new(self.candidate.settings.clone())?;
        let design = design.with_salt_source(source());
        let mut written = Vec::with_capacity(sample.keys.len());
        let mut rejected = Vec::new();
        for sampled in &sample.keys {
            match Written::new(&design, sampled) {
                Ok(key) => written.push(key),
                Err(error) => rejected.push((sampled.arrival, error)),
            }
        }
        let keys = fluo_keys::number::count(rejected.len());
        let first = rejected.into_iter().min_by_key(|(arrival, _)| *arrival);
        self.rejected = first.map(|(_, error)| RejectedKeys { keys, reason: error.to_string() });
        if share(keys, sample.len) > MAX_REJECTED {
            return Ok(());
        }
        let splits = Splits::new(profile, &self.candidate, &design, &written)?;
        let largest = largest_part(&design, &written);
        self.example = written
            .first()
            .map(|written| [written.row, &written.key].map(|bytes| Escaped(bytes).to_string()));
        self.load = Some(LoadForecast::new(&written, splits, profile, largest));
        self.scans = Some(ScanCosts::new(&design, profile));
        Ok(())
    }
}

/// Returns a source of random salts, which are the same each time.
fn source() -> impl Fn() -> u64 + Send + Sync + 'static {
    let rng = Mutex::new(fastrand::Rng::with_seed(0));
    move || {
        let drawing = rng.lock();
        drawing.unwrap_or_else(PoisonError::into_inner).u64(..)
    }
}
