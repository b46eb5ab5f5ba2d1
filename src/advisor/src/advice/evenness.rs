//! The judgment whether a design spreads the keys evenly.

use super::fault::Fault;
use crate::forecast::Crowd;
use crate::profile::WindowSpread;
use crate::{KeyProfile, LoadForecast};
use fluo_keys::number::{float, share};

/// The largest load over the mean that is even enough for a balancer.
pub(super) const EVEN_ENOUGH: f64 = 1.5;
/// The promised load over the mean from which it is a fault of an uneven design.
const NEARLY_EVEN: f64 = 1.1;
/// The largest share of the newest keys, as a multiple of the tablet's share, that counts as
/// spread.
const SPREAD_ENOUGH: f64 = 2.0;
/// The number of standard deviations from which chance does not explain unused salts.
const BEYOND_CHANCE: f64 = 4.0;
/// The number of standard deviations by which a sample may overstate the fullest tablet.
const OF_A_SAMPLE: f64 = 3.0;
/// The least number of salts of a row hasher, whose weights are chances and not salts.
const HASHER_SALTS: u64 = 1 << 20;

/// Returns the faults of the distribution of all keys and of the newest, the most telling first.
pub(super) fn faults(profile: &KeyProfile, load: &LoadForecast) -> Vec<Fault> {
    let newest = of_newest(profile, load);
    // The mean is the measure, and not the design's promise, which may be uneven too.
    let is_promised = load.splits.promised().is_none_or(|promised| promised <= EVEN_ENOUGH);
    if is_promised && !is_too_full(&load.all, load, EVEN_ENOUGH, profile) {
        return newest.into_iter().collect();
    }
    let mut faults: Vec<_> = few_salts(profile, load).into_iter().collect();
    if faults.is_empty() && is_heavy(&load.all, mean(&load.all, load), EVEN_ENOUGH) {
        faults.push(Fault::HeavyPart {
            part: load.largest_part.clone(),
            share: share(load.all.largest_part, load.all.keys),
        });
    }
    faults.extend(newest);
    faults.push(Fault::FullTablet { over_mean: load.largest_over_mean });
    let promised = load.splits.promised().filter(|promised| *promised > NEARLY_EVEN);
    faults.extend(promised.map(|over_mean| Fault::UnevenSalts { over_mean }));
    faults
}

/// Returns the fault of keys that are so few that chance explains a tablet that is too full.
pub(super) fn too_few_keys(load: &LoadForecast) -> Option<Fault> {
    let mean = mean(&load.all, load);
    let is_few = !is_far_above(EVEN_ENOUGH * mean, mean);
    let is_unproven = load.all.keys == 0 || load.largest_over_mean > EVEN_ENOUGH;
    (is_few && is_unproven)
        .then(|| Fault::TooFewKeys { keys: load.all.keys, tablets: load.tablets() })
}

/// Returns the fault of the distribution of the newest keys; `None` if they are spread.
fn of_newest(profile: &KeyProfile, load: &LoadForecast) -> Option<Fault> {
    let newest = load.newest.as_ref()?;
    if is_too_full(newest, load, SPREAD_ENOUGH, profile) {
        let share = share(newest.fullest, newest.keys);
        return Some(Fault::NewestTogether { share });
    }
    let windows = load.windows.filter(WindowSpread::is_together);
    windows.map(|windows| Fault::RunsTogether { tablets: windows.places })
}

fn mean(crowd: &Crowd, load: &LoadForecast) -> f64 {
    float(crowd.keys) / float(load.tablets().max(1))
}

/// Checks whether the fullest tablet has too many keys: more than `enough` times the mean, even if
/// the sample overstates it, and more than chance gives it, or one part alone overloads it.
fn is_too_full(crowd: &Crowd, load: &LoadForecast, enough: f64, profile: &KeyProfile) -> bool {
    let (mean, fullest) = (mean(crowd, load), float(crowd.fullest));
    let error = if profile.sample.is_complete { 0.0 } else { OF_A_SAMPLE * fullest.sqrt() };
    // Chance is counted in salted parts, because keys that share one are placed once.
    let size = crowd.sharing.max(1.0);
    fullest - error > enough * mean
        && (is_far_above(fullest / size, mean / size) || is_heavy(crowd, mean, enough))
}

fn is_heavy(crowd: &Crowd, mean: f64, enough: f64) -> bool {
    let largest = float(crowd.largest_part);
    largest > enough * mean && is_far_above(largest, mean)
}

/// Checks whether a count exceeds its expectation by too much for chance, for any number of
/// tablets: by four standard deviations of a Poisson count, and four for small counts.
fn is_far_above(count: f64, mean: f64) -> bool {
    count > mean + 4.0 * mean.sqrt() + 4.0
}

fn few_salts(profile: &KeyProfile, load: &LoadForecast) -> Option<Fault> {
    let different = profile.distinct.keys.min(profile.sample.len);
    let used =
        load.salts_used.filter(|salts| *salts < load.tablets().min(different)).filter(|used| {
            is_below_chance(*used, different, load.splits.salts().unwrap_or(load.tablets()))
        })?;
    Some(Fault::FewSalts { used, is_of_a_part: load.largest_part.is_some() })
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
