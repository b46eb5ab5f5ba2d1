//! The choice of a design.

use fluo_keys::DesignSettings;

use super::options::{AdviceOptions, Read};
use super::verdict::{DesignVerdict, Suitability};
use crate::number::float_len;
use crate::{DesignForecast, KeyProfile};

pub(super) fn is_unsalted(forecast: &DesignForecast) -> bool {
    matches!(forecast.candidate.settings, DesignSettings::Unsalted(_))
}

/// Returns the place of the design to use.
pub(super) fn choice(
    profile: &KeyProfile,
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    options: &AdviceOptions,
) -> Option<usize> {
    if profile.keys == 0 {
        return None;
    }
    let of_standing = |standing: Suitability| {
        let all = forecasts.iter().zip(verdicts).enumerate();
        all.filter(move |(_, (_, verdict))| verdict.standing == standing)
            .map(|(place, (forecast, _))| (place, forecast))
    };
    let best = |standing| {
        of_standing(standing)
            .filter_map(|(place, forecast)| Some((pieces(forecast, options)?, place)))
            .min()
    };
    let least_bad = || {
        of_standing(Suitability::Uneven).min_by(|(_, a), (_, b)| fullest(a).total_cmp(&fullest(b)))
    };
    best(Suitability::Suitable)
        .or_else(|| best(Suitability::TooFewTablets))
        .map(|(_, place)| place)
        .or_else(|| least_bad().map(|(place, _)| place))
}

/// Returns the number of pieces of all requested reads together; `None` if one of them is
/// impossible.
fn pieces(forecast: &DesignForecast, options: &AdviceOptions) -> Option<u64> {
    let (_, scans) = forecast.possible()?;
    let of_read = |read: Read| match read {
        Read::Prefix => scans.by_prefix.ranges(),
        Read::Range => scans.by_range.ranges(),
        Read::Field => scans.by_leading_field.as_ref()?.ranges(),
        Read::Domain => scans.by_domain.as_ref()?.ranges(),
    };
    options
        .different_reads()
        .map(of_read)
        .try_fold(scans.by_row.ranges()?, |sum, pieces| {
            Some(sum.saturating_add(pieces?))
        })
}

/// Returns the load of the fullest tablet over the mean, of all keys or of the newest, whichever is
/// larger.
fn fullest(forecast: &DesignForecast) -> f64 {
    let Some((load, _)) = forecast.possible() else {
        return f64::INFINITY;
    };
    let tablets = float_len(load.tablets());
    let tail = load
        .tail
        .as_ref()
        .map_or(0.0, |tail| tail.busiest_share.value * tablets);
    load.largest_over_mean.value.max(tail)
}
