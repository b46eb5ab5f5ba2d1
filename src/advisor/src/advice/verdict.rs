//! The verdict on a design.

use fluo_keys::ScanCost;
use serde::Serialize;

use super::design_reason::DesignReason;
use super::evenness::{self, SPREAD_ENOUGH};
use super::key_share::KeyShare;
use super::load_reason::{Evenness, FullestLoad, LoadReason};
use super::options::{AdviceOptions, Read};
use crate::number::{count, float, float_len};
use crate::{DesignForecast, ForecastResult, KeyProfile, LoadForecast, ScanCosts};

/// The suitability of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

impl Suitability {
    /// Returns the word for use in a table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Recommended => "recommended",
            Self::Suitable => "suitable",
            Self::TooFewTablets => "too few tablets",
            Self::Uneven => "uneven",
            Self::Unreadable => "reads unsupported",
            Self::Impossible => "impossible",
        }
    }
}

/// The verdict on a design, with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DesignVerdict {
    /// The label of its candidate.
    pub label: String,
    /// The suitability of the design.
    pub standing: Suitability,
    /// The reasons for and against the design.
    pub reasons: Vec<DesignReason>,
    /// The reasons against the design.
    pub against: Vec<DesignReason>,
}

/// The reason to try a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// A table of this many tablets.
    In(u32),
    /// The design that the table has.
    AsItIs,
}

impl DesignVerdict {
    /// Judges a design by its forecast.
    pub(super) fn new(
        profile: &KeyProfile,
        forecast: &DesignForecast,
        options: &AdviceOptions,
        tried: Tried,
    ) -> Self {
        let mut verdict = Self {
            label: forecast.candidate.label.clone(),
            standing: Suitability::Impossible,
            reasons: Vec::new(),
            against: Vec::new(),
        };
        match &forecast.result {
            ForecastResult::Refused { reason, keys } => {
                let reason = reason.clone();
                let reason = match keys {
                    0 => DesignReason::Invalid(reason),
                    keys => DesignReason::RejectsTooMany {
                        keys: *keys,
                        first: reason,
                    },
                };
                verdict.add([reason], true);
            }
            ForecastResult::Possible { load, scans } => {
                verdict.add(rejected(profile, forecast), true);
                let (is_even, reasons) = evenness::of_all_keys(profile, forecast, load);
                verdict.add(reasons.into_iter().map(DesignReason::Load), !is_even);
                let (is_spread, reason) = newest(load, tried);
                verdict.add(reason.map(DesignReason::Load), !is_spread);
                let is_readable = verdict.add_reads(scans, options);
                let few = too_few_tablets(forecast, load, tried);
                let is_large_enough = few.is_none();
                verdict.add(few, true);
                verdict.standing = if !is_readable {
                    Suitability::Unreadable
                } else if !(is_even && is_spread) {
                    Suitability::Uneven
                } else if !is_large_enough {
                    Suitability::TooFewTablets
                } else {
                    Suitability::Suitable
                };
            }
        }
        verdict
    }

    fn add(&mut self, reasons: impl IntoIterator<Item = DesignReason>, is_against: bool) {
        for reason in reasons {
            if is_against {
                self.against.push(reason.clone());
            }
            self.reasons.push(reason);
        }
    }

    /// Returns the fullest tablet, if it is a reason against the design.
    pub(super) fn fullest_if_uneven(&self) -> Option<&FullestLoad> {
        self.against
            .iter()
            .find_map(|reason| match reason {
                DesignReason::Load(LoadReason::Fullest(fullest)) => Some(fullest),
                _ => None,
            })
            .filter(|fullest| fullest.evenness == Evenness::Uneven)
    }

    /// Adds the costs of the requested reads. Returns `true` if the design supports all of them.
    fn add_reads(&mut self, scans: &ScanCosts, options: &AdviceOptions) -> bool {
        let mut is_readable = true;
        if let ScanCost::FanOut { ranges: pieces } = scans.by_row {
            self.reasons.push(DesignReason::RowInPieces { pieces });
            if !options.scans_only {
                is_readable = false;
                self.against.push(DesignReason::ForScansOnly { pieces });
            }
        }
        let costs = costs(scans, options);
        for alike in costs.chunk_by(|(_, a), (_, b)| a == b) {
            let Some((_, cost)) = alike.first() else {
                continue;
            };
            let reads: Vec<_> = alike.iter().map(|(read, _)| *read).collect();
            let is_requested = reads.iter().any(|read| options.reads.contains(read));
            let is_against = is_requested && cost.ranges().is_none();
            is_readable &= !is_against;
            let cost = cost.clone();
            self.add([DesignReason::Scan { reads, cost }], is_against);
        }
        is_readable
    }
}

/// Returns the costs of the scans that matter. A read that is impossible for all keys needs a
/// reason only if it is requested.
fn costs(scans: &ScanCosts, options: &AdviceOptions) -> Vec<(Read, ScanCost)> {
    let is_requested = |read| options.reads.contains(&read);
    let or_impossible = |read: Read, cost: &Option<ScanCost>| {
        let impossible = || {
            let reason = read.missing_in_keys()?.to_owned();
            is_requested(read).then_some(ScanCost::Unsupported { reason })
        };
        cost.clone().or_else(impossible)
    };
    let of_domain = scans
        .by_domain
        .clone()
        .filter(|_| is_requested(Read::Domain));
    [
        (Read::Prefix, Some(scans.by_prefix.clone())),
        (Read::Range, Some(scans.by_range.clone())),
        (
            Read::Field,
            or_impossible(Read::Field, &scans.by_leading_field),
        ),
        (Read::Domain, or_impossible(Read::Domain, &of_domain)),
    ]
    .into_iter()
    .filter_map(|(read, cost)| Some((read, cost?)))
    .collect()
}

/// Returns the keys that a design rejects, if there are any.
fn rejected(profile: &KeyProfile, forecast: &DesignForecast) -> Option<DesignReason> {
    let rejected = forecast.without_key.as_ref()?;
    Some(DesignReason::RejectsSome {
        keys: KeyShare::new(rejected.keys, profile),
        first: rejected.first.clone(),
    })
}

/// Returns the number of tablets that a design can have. If the sample gives the split points, it
/// limits the number.
pub(super) fn tablets(forecast: &DesignForecast, load: &LoadForecast) -> u64 {
    if load.splits_are_of_the_sample {
        count(load.tablets())
    } else {
        forecast.candidate.tablets.into()
    }
}

fn too_few_tablets(
    forecast: &DesignForecast,
    load: &LoadForecast,
    tried: Tried,
) -> Option<DesignReason> {
    let Tried::In(wanted) = tried else {
        return None;
    };
    let tablets = tablets(forecast, load);
    (tablets < wanted.into()).then_some(DesignReason::TooFewTablets {
        tablets,
        wanted,
        is_of_sample: load.splits_are_of_the_sample,
    })
}

/// Checks whether the newest keys are spread, and returns the reason.
fn newest(load: &LoadForecast, tried: Tried) -> (bool, Option<LoadReason>) {
    let Some(tail) = &load.tail else {
        let is_unknown = tried != Tried::AsItIs && load.splits_are_of_the_sample;
        let reason = is_unknown.then_some(LoadReason::UnknownPlace);
        return (!is_unknown, reason);
    };
    let tablets = float_len(load.tablets());
    let mean = float(tail.keys) / tablets;
    let busiest = tail.busiest_share;
    let is_spread = busiest.low * tablets <= SPREAD_ENOUGH
        || !evenness::is_beyond_chance(
            share_of(busiest.value, tail.keys),
            mean,
            &tail.parts,
            SPREAD_ENOUGH,
        );
    let (newest, share) = (tail.newest, busiest.value);
    if let Some(windows) = load
        .windows
        .filter(|windows| is_spread && windows.is_together())
    {
        return (false, Some(LoadReason::RunsTogether(windows)));
    }
    let reason = if is_spread {
        LoadReason::NewestSpread { newest, share }
    } else {
        LoadReason::NewestTogether {
            newest,
            share,
            tablet: count(tail.busiest),
            tablets: count(load.tablets()),
        }
    };
    (is_spread, Some(reason))
}

/// Returns a share of a count as a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count lies between 0 and the count"
)]
fn share_of(share: f64, keys: u64) -> u64 {
    (share * float(keys)).round() as u64
}
