//! A design in the ranked table: its forecast, its faults and its suitability.

use fluo_keys::ScanCost;
use serde::Serialize;

use super::evenness;
use super::fault::Fault;
use super::options::{AdviceOptions, Read};
use crate::profile::starts_randomly;
use crate::{Candidate, DesignForecast, KeyProfile, LoadForecast, ScanCosts};

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
    /// A design that overloads some tablets, or for which the place of new keys is unknown.
    Uneven,
    /// A design that makes a requested read impossible.
    Unreadable,
    /// A design that the keys cannot have.
    Impossible,
}

/// A design in the ranked table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankedDesign {
    /// The design and its effect on the keys.
    #[serde(flatten)]
    pub forecast: DesignForecast,
    /// The suitability of the design.
    pub suitability: Suitability,
    /// The reasons against the design, the most telling first.
    pub faults: Vec<Fault>,
}

impl RankedDesign {
    /// Tries and judges a design, for a table of this many tablets, or as the table is.
    pub(super) fn new(
        profile: &KeyProfile,
        candidate: Candidate,
        options: &AdviceOptions,
        wanted: Option<u32>,
    ) -> Self {
        let forecast = DesignForecast::new(profile, candidate);
        let (suitability, faults) = match (&forecast.load, &forecast.scans) {
            (Some(load), Some(scans)) => {
                let mut spread = evenness::faults(profile, &forecast, load);
                spread.extend(unknown_place(profile, load, wanted));
                let reads = reads(scans, options);
                let few = too_few_tablets(&forecast, wanted);
                let suitability = if !reads.is_empty() {
                    Suitability::Unreadable
                } else if !spread.is_empty() {
                    Suitability::Uneven
                } else if few.is_some() {
                    Suitability::TooFewTablets
                } else {
                    Suitability::Suitable
                };
                let faults = reads.into_iter().chain(spread).chain(few);
                (suitability, faults.collect())
            }
            _ => (Suitability::Impossible, vec![impossible(&forecast)]),
        };
        Self { forecast, suitability, faults }
    }

    /// Returns the name of the design in a table of designs.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.forecast.candidate.label
    }

    pub(super) fn tablets(&self) -> u64 {
        tablets(&self.forecast)
    }

    /// Returns the number of pieces of all requested reads and of a read of one row together;
    /// `None` if one of them is impossible.
    pub(super) fn pieces(&self, options: &AdviceOptions) -> Option<u64> {
        let scans = self.forecast.scans.as_ref()?;
        let mut pieces = scans.by_row.ranges()?;
        for read in options.different_reads() {
            pieces = pieces.saturating_add(scans.of(read)?.ranges()?);
        }
        Some(pieces)
    }

    /// Returns the load of the fullest tablet over the mean, of all keys or of the newest,
    /// whichever is larger.
    pub(super) fn fullest(&self) -> f64 {
        self.forecast.load.as_ref().map_or(f64::INFINITY, |load| {
            let newest = load.newest_in_one.unwrap_or(0.0);
            let newest = newest * fluo_keys::number::float(load.tablets());
            load.largest_over_mean.max(newest)
        })
    }
}

fn impossible(forecast: &DesignForecast) -> Fault {
    let rejected = forecast.rejected.clone();
    let (keys, reason) =
        rejected.map_or((0, String::new()), |rejected| (rejected.keys, rejected.reason));
    match keys {
        0 => Fault::Invalid { reason },
        keys => Fault::RejectsKeys { keys, reason },
    }
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
    for read in options.different_reads() {
        let cost = scans.of(read);
        if cost.and_then(ScanCost::ranges).is_none() {
            let cost = cost.cloned();
            faults.push(Fault::UnsupportedRead { read, cost });
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

/// Returns the number of tablets. If the sample gives the split points, it limits them.
fn tablets(forecast: &DesignForecast) -> u64 {
    match &forecast.load {
        Some(load) if load.splits_are_of_the_sample => load.tablets(),
        _ => forecast.candidate.tablets.into(),
    }
}

fn too_few_tablets(forecast: &DesignForecast, wanted: Option<u32>) -> Option<Fault> {
    let (tablets, wanted) = (tablets(forecast), wanted?.into());
    (tablets < wanted).then_some(Fault::TooFewTablets { tablets, wanted })
}
