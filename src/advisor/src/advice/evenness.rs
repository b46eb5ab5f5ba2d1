//! The judgement whether a design spreads the keys evenly.

use fluo_keys::{DesignSettings, SaltedPart};

use super::load_reason::{Evenness, FullestLoad, LoadReason};
use crate::number::{count, float, float_len, share};
use crate::{DesignForecast, KeyProfile, LoadForecast, PartSizes};

/// The largest load over the mean that is even enough for a balancer.
const EVEN_ENOUGH: f64 = 1.5;
/// The promised load over the mean from which it is a reason.
const NEARLY_EVEN: f64 = 1.1;
/// The largest share of the newest keys, as a multiple of the tablet's share, that counts as
/// spread.
pub(super) const SPREAD_ENOUGH: f64 = 2.0;
/// The number of keys in a tablet below which chance alone makes loads uneven.
const TELLING_KEYS: f64 = 20.0;
/// The number of standard deviations from which chance does not explain unused salts.
const BEYOND_CHANCE: f64 = 4.0;
/// The least number of salts of a row hasher, whose weights are chances and not salts.
const HASHER_SALTS: u64 = 1 << 20;

/// Checks whether all keys are spread evenly, and returns the reasons.
pub(super) fn of_all_keys(
    profile: &KeyProfile,
    forecast: &DesignForecast,
    load: &LoadForecast,
) -> (bool, Vec<LoadReason>) {
    let mut reasons: Vec<_> = few_salts(profile, forecast, load).into_iter().collect();
    // The mean is the measure, and not the design's promise, which may be uneven too.
    let most = load.keys.iter().copied().max().unwrap_or(0);
    let keys = load.keys.iter().sum();
    let mean = float(keys) / float_len(load.tablets().max(1));
    let is_promised = load.promised.is_none_or(|promised| promised <= EVEN_ENOUGH);
    let is_near = load.largest_over_mean.low <= EVEN_ENOUGH;
    let is_even =
        is_promised && (is_near || !is_beyond_chance(most, mean, &load.parts, EVEN_ENOUGH));
    let parts = load.parts.different;
    reasons.push(LoadReason::Fullest(FullestLoad {
        evenness: if !is_even {
            Evenness::Uneven
        } else if mean < TELLING_KEYS {
            Evenness::TooFewKeys { mean }
        } else if load.largest_over_mean.value <= EVEN_ENOUGH {
            Evenness::Even
        } else {
            Evenness::Chance
        },
        tablets: count(load.tablets()),
        fullest: count(load.largest),
        over_mean: load.largest_over_mean,
        is_exact: profile.sample.is_complete,
        test: load.chi_square,
        salted_parts: (parts < keys).then_some(parts),
    }));
    if !is_even && is_heavy(&load.parts, mean, EVEN_ENOUGH) {
        reasons.push(LoadReason::HeavyPart {
            keys: load.parts.largest,
            over_mean: float(load.parts.largest) / mean,
        });
        let shared = |part| LoadReason::SharedPart {
            part,
            share: share(load.parts.largest, keys),
        };
        reasons.extend(load.largest_part.clone().map(shared));
    }
    let promised = load.promised.filter(|promised| *promised > NEARLY_EVEN);
    reasons.extend(promised.map(|over_mean| LoadReason::UnevenSalts { over_mean }));
    (is_even, reasons)
}

/// Checks whether chance does not explain the fullest tablet: it is fuller than salted parts of
/// these sizes make it, or one part alone overloads it.
pub(super) fn is_beyond_chance(most: u64, mean: f64, parts: &PartSizes, enough: f64) -> bool {
    let size = parts.of_a_key.max(1.0);
    is_far_above(float(most) / size, mean / size) || is_heavy(parts, mean, enough)
}

/// Checks whether the largest salted part alone is too much for a tablet.
fn is_heavy(parts: &PartSizes, mean: f64, enough: f64) -> bool {
    let largest = float(parts.largest);
    largest > enough * mean && is_far_above(largest, mean)
}

/// Checks whether a row that is this often in a sample is too much for a tablet.
pub(super) fn is_hot(times: u64, keys: u64, tablets: u32) -> bool {
    let mean = float(keys) / f64::from(tablets.max(1));
    let times = float(times);
    times > EVEN_ENOUGH * mean && is_far_above(times, mean)
}

/// Checks whether a count exceeds its expectation by too much for chance, for any number of
/// tablets: by four standard deviations of a Poisson count, and four for small counts.
fn is_far_above(count: f64, mean: f64) -> bool {
    count > mean + 4.0 * mean.sqrt() + 4.0
}

/// Returns the number of salts of the keys, if chance does not explain that it is small.
fn few_salts(
    profile: &KeyProfile,
    forecast: &DesignForecast,
    load: &LoadForecast,
) -> Option<LoadReason> {
    let tablets = count(load.tablets());
    let different = profile.distinct.keys().min(profile.sample.len);
    let used = load
        .salts_used
        .filter(|salts| *salts < tablets.min(different))
        .filter(|used| is_below_chance(*used, different, load.salts.unwrap_or(tablets)))?;
    let part = salted_part(&forecast.candidate.settings);
    Some(LoadReason::FewSalts {
        used,
        is_of_whole_key: matches!(part, Some(SaltedPart::Whole) | None),
    })
}

/// Checks whether chance does not explain the small number of used salts. Of `s` salts, `n` rows
/// leave `s * exp(-n / s)` unused.
fn is_below_chance(used: u64, rows: u64, salts: u64) -> bool {
    let salts = float(salts.clamp(1, HASHER_SALTS));
    let per_salt = float(rows) / salts;
    let unused = (-per_salt).exp();
    let variance = salts * unused * (1.0 - (1.0 + per_salt) * unused);
    let deviation = variance.max(0.0).sqrt();
    float(used) + BEYOND_CHANCE * deviation + 1.0 <= salts * (1.0 - unused)
}

fn salted_part(settings: &DesignSettings) -> Option<&SaltedPart> {
    match settings {
        DesignSettings::Modulo(settings) => Some(&settings.over),
        DesignSettings::DigestSalt(settings) => Some(&settings.over),
        DesignSettings::ReverseTime(_) | DesignSettings::WebTable(_) => Some(&SaltedPart::Entity),
        _ => None,
    }
}
