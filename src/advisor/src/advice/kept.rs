//! The tablets of designs that keys already have.

use fluo_keys::{DesignSettings, KeyDesign};

use super::options::AdviceOptions;

use crate::{AdvisedDesign, AdvisedLayout, Candidate, DesignForecast, ExistingDesign};

/// Returns the candidate of an existing design: in its tablets in the table, or in the requested
/// ones.
pub(super) fn candidate(existing: &ExistingDesign, options: &AdviceOptions) -> Candidate {
    let (label, settings) = (existing.label.clone(), existing.settings.clone());
    match kept(existing, options) {
        None => Candidate::new(label, settings, wanted(existing, options)),
        Some(AdvisedLayout::Tablets(tablets)) => Candidate::new(label, settings, tablets),
        Some(AdvisedLayout::SplitPoints(mut points)) => {
            // No row of a hasher sorts after the last split point of its tablets.
            points.pop_if(|end| end.ends_with(b":~"));
            Candidate::with_split_points(label, settings, &points)
        }
    }
}

/// Returns the entry of an existing design in the spec.
pub(super) fn advised(
    existing: &ExistingDesign,
    forecast: &DesignForecast,
    options: &AdviceOptions,
) -> AdvisedDesign {
    let kept = kept(existing, options);
    AdvisedDesign {
        layout: kept.unwrap_or_else(|| AdvisedLayout::for_forecast(forecast)),
        settings: existing.settings.clone(),
    }
}

/// Returns the tablets of the table that a design keeps; `None` if others are requested. An unsplit
/// table has no tablets of a row hasher, because the last of them ends with the hasher's prefix.
fn kept(existing: &ExistingDesign, options: &AdviceOptions) -> Option<AdvisedLayout> {
    let table = options.table.as_ref().filter(|_| !options.is_for_others())?;
    let is_hasher = matches!(existing.settings, DesignSettings::RowHasher(_));
    let is_unsplit = table.splits.is_empty() && !is_hasher;
    let unsplit = || is_unsplit.then(|| AdvisedLayout::SplitPoints(Vec::new()));
    existing.layout.clone().or_else(unsplit)
}

/// Returns the number of tablets for a design: at most as many as it has salts. A design without
/// even split points can have any number.
fn wanted(existing: &ExistingDesign, options: &AdviceOptions) -> u32 {
    let mut wanted = u32::try_from(options.for_one_design()).unwrap_or(u32::MAX);
    let can_have = |tablets| {
        let design = KeyDesign::new(existing.settings.clone());
        design.is_ok_and(|design| design.splits(tablets).is_ok() || design.splits(1).is_err())
    };
    while wanted > 1 && !can_have(wanted) {
        wanted /= 2;
    }
    wanted
}
