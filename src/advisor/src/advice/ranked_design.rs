//! A design in the ranked table: its effect on the sample, its faults and its suitability.

use std::sync::{Mutex, PoisonError};

use fluo_keys::number::{count, float, share};
use fluo_keys::{KeyDesign, RecipeError, ScanCost};
use fluo_table::Escaped;
use serde::Serialize;

use super::evenness::{self, EVEN_ENOUGH};
use super::fault::Fault;
use super::options::{AdviceOptions, Read};
use crate::forecast::{MAX_REJECTED, Splits, Written};
use crate::profile::starts_randomly;
use crate::{AdvisedLayout, Candidate, KeyProfile, LoadForecast, ScanCosts};

/// The suitability of a design, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Suitability {
    /// The advised design.
    Recommended,
    /// A design that could be used as well.
    Suitable,
    /// A design that spreads the keys, but over fewer tablets than wanted.
    TooFewTablets,
    /// A design under which the newest keys overload a tablet, or for which the place of new keys
    /// is unknown.
    HotEnd,
    /// A design that overloads some tablets.
    Uneven,
    /// A design that makes a requested read impossible.
    Unreadable,
    /// A design that the keys cannot have.
    Impossible,
}

/// A design in the ranked table, and its effect on the keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankedDesign {
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
    /// The suitability of the design.
    pub suitability: Suitability,
    /// The reasons against the design, the most telling first.
    pub faults: Vec<Fault>,
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

impl RankedDesign {
    /// Tries and judges a design, for a table of this many tablets, or as the table is.
    pub(super) fn new(
        profile: &KeyProfile,
        candidate: Candidate,
        options: &AdviceOptions,
        wanted: Option<u32>,
    ) -> Self {
        let mut design = Self {
            candidate,
            example: None,
            rejected: None,
            load: None,
            scans: None,
            suitability: Suitability::Impossible,
            faults: Vec::new(),
        };
        if let Err(error) = design.forecast(profile) {
            design.rejected = Some(RejectedKeys { keys: 0, reason: error.to_string() });
        }
        design.judge(profile, options, wanted);
        design
    }

    /// Writes the sample as the design writes it.
    fn forecast(&mut self, profile: &KeyProfile) -> Result<(), RecipeError> {
        let sample = &profile.sample;
        let design = KeyDesign::new(self.candidate.settings.clone())?;
        // The random salts are the same each time.
        let rng = Mutex::new(fastrand::Rng::with_seed(0));
        let draw = move || rng.lock().unwrap_or_else(PoisonError::into_inner).u64(..);
        let design = design.with_salt_source(draw);
        let mut written = Vec::with_capacity(sample.keys.len());
        let mut rejected = Vec::new();
        for sampled in &sample.keys {
            match Written::new(&design, sampled) {
                Ok(key) => written.push(key),
                Err(error) => rejected.push((sampled.arrival, error)),
            }
        }
        let keys = count(rejected.len());
        let first = rejected.into_iter().min_by_key(|(arrival, _)| *arrival);
        self.rejected = first.map(|(_, error)| RejectedKeys { keys, reason: error.to_string() });
        if share(keys, sample.len) > MAX_REJECTED {
            return Ok(());
        }
        let splits = Splits::new(profile, &self.candidate, &design, &written)?;
        self.example = written
            .first()
            .map(|written| [written.row, &written.key].map(|bytes| Escaped(bytes).to_string()));
        self.load = Some(LoadForecast::new(&written, splits, profile, &design));
        self.scans = Some(ScanCosts::new(&design, profile));
        Ok(())
    }

    fn judge(&mut self, profile: &KeyProfile, options: &AdviceOptions, wanted: Option<u32>) {
        let (Some(load), Some(scans)) = (&self.load, &self.scans) else {
            self.faults.push(match self.rejected.clone() {
                Some(RejectedKeys { keys: 0, reason }) => Fault::Invalid { reason },
                Some(RejectedKeys { keys, reason }) => Fault::RejectsKeys { keys, reason },
                None => Fault::Invalid { reason: String::new() },
            });
            return;
        };
        let mut spread = evenness::faults(profile, load);
        spread.extend(unknown_place(profile, load, wanted));
        let reads = reads(scans, options);
        let few = self.too_few_tablets(wanted);
        let too_few_keys = spread.is_empty().then(|| evenness::too_few_keys(load)).flatten();
        self.suitability = if !reads.is_empty() {
            Suitability::Unreadable
        } else if let Some(first) = spread.first() {
            if first.is_of_new_keys() { Suitability::HotEnd } else { Suitability::Uneven }
        } else if few.is_some() {
            Suitability::TooFewTablets
        } else {
            Suitability::Suitable
        };
        self.faults = reads.into_iter().chain(spread).chain(few).chain(too_few_keys).collect();
    }

    fn too_few_tablets(&self, wanted: Option<u32>) -> Option<Fault> {
        let (tablets, wanted) = (self.tablets(), wanted?.into());
        (tablets < wanted).then_some(Fault::TooFewTablets { tablets, wanted })
    }

    /// Returns the name of the design in a table of designs.
    pub fn label(&self) -> &str {
        &self.candidate.label
    }

    /// Returns the split points: those from the sample or of the table, or else the design's own.
    pub(super) fn layout(&self) -> AdvisedLayout {
        match &self.load {
            Some(load)
                if load.splits_are_of_the_sample || self.candidate.split_points.is_some() =>
            {
                AdvisedLayout::SplitPoints(load.splits.points.clone())
            }
            _ => AdvisedLayout::Tablets(self.candidate.tablets),
        }
    }

    /// Returns the number of tablets. If the sample gives the split points, it limits them.
    pub(super) fn tablets(&self) -> u64 {
        match &self.load {
            Some(load) if load.splits_are_of_the_sample => load.tablets(),
            _ => self.candidate.tablets.into(),
        }
    }

    /// Returns the number of pieces of all requested reads and of a read of one row together;
    /// `None` if one of them is impossible.
    pub(super) fn pieces(&self, options: &AdviceOptions) -> Option<u64> {
        let scans = self.scans.as_ref()?;
        let mut pieces = scans.by_row.ranges()?;
        for read in &options.reads {
            pieces = pieces.saturating_add(scans.of(*read)?.ranges()?);
        }
        Some(pieces)
    }

    /// Checks whether the design spreads keys badly: it overloads tablets, or has so few that it
    /// overloads a server.
    pub(super) fn is_bad(&self, servers: u32) -> bool {
        match self.suitability {
            Suitability::HotEnd | Suitability::Uneven => true,
            Suitability::TooFewTablets => {
                self.fullest(servers).on_server * f64::from(servers) > EVEN_ENOUGH
            }
            _ => false,
        }
    }

    pub(super) fn fullest(&self, servers: u32) -> Fullest {
        let none = Fullest { on_server: f64::INFINITY, in_tablet: f64::INFINITY };
        self.load.as_ref().map_or(none, |load| {
            let of_all = share(load.all.fullest, load.all.keys);
            let in_tablet = of_all.max(load.newest_in_one.unwrap_or(0.0));
            Fullest { on_server: on_fullest_server(in_tablet, load.tablets(), servers), in_tablet }
        })
    }
}

/// The largest shares of all keys or of the newest, whichever is larger.
///
/// A share compares designs of different numbers of tablets. The load over the mean does not: one
/// tablet with all keys has the mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fullest {
    pub(super) on_server: f64,
    pub(super) in_tablet: f64,
}

/// Returns the share of the keys on the server of the fullest tablet, if the tablets are divided
/// evenly among the servers, and the other tablets are equally full.
fn on_fullest_server(in_tablet: f64, tablets: u64, servers: u32) -> f64 {
    let (tablets, servers) = (float(tablets), f64::from(servers));
    let elsewhere = (tablets - (tablets / servers).max(1.0)) / (tablets - 1.0).max(1.0);
    1.0 - (1.0 - in_tablet) * elsewhere
}

/// Returns the fault of keys whose order of arrival is unknown, unless a salt or their own random
/// beginnings spread them, or the table is as it is.
fn unknown_place(profile: &KeyProfile, load: &LoadForecast, wanted: Option<u32>) -> Option<Fault> {
    let is_unknown = load.newest.is_none()
        && wanted.is_some()
        && load.splits_are_of_the_sample
        && !starts_randomly(&profile.sample.keys);
    is_unknown.then_some(Fault::UnknownPlace)
}

fn reads(scans: &ScanCosts, options: &AdviceOptions) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let ScanCost::FanOut { ranges: pieces } = scans.by_row
        && !options.scans_only
    {
        faults.push(Fault::RowInPieces { pieces });
    }
    for read in options.reads.iter().copied() {
        let cost = scans.of(read);
        if cost.and_then(ScanCost::ranges).is_none() {
            faults.push(Fault::UnsupportedRead { read, cost: cost.cloned() });
        }
    }
    faults
}

impl ScanCosts {
    /// Returns the cost of a read; `None` if the keys do not support it.
    fn of(&self, read: Read) -> Option<&ScanCost> {
        match read {
            Read::Prefix => Some(&self.by_prefix),
            Read::Range => Some(&self.by_range),
            Read::Field => self.by_leading_field.as_ref(),
            Read::Domain => self.by_domain.as_ref(),
        }
    }
}
