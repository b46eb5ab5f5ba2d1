//! The tablets of designs that keys already have.

use fluo_keys::{DesignSettings, KeyDesign};

use super::options::AdviceOptions;
use super::spec::AdvisedDesign;
use crate::{AdvisedLayout, Candidate, DesignForecast, ExistingDesign};

/// Returns the candidate of an existing design: in its tablets in the table, or in the requested
/// ones.
pub(super) fn candidate(existing: &ExistingDesign, options: &AdviceOptions) -> Candidate {
    let label = existing.label.clone();
    let settings = existing.settings.clone();
    let of_table = existing.layout.as_ref();
    match of_table.filter(|_| !options.is_for_others()) {
        None if is_of_table(existing, options) => {
            Candidate::with_split_points(label, settings, &[])
        }
        None => Candidate::new(label, settings, wanted(existing, options)),
        Some(AdvisedLayout::Tablets(tablets)) => Candidate::new(label, settings, *tablets),
        // No row of a hasher sorts after the last split point of its tablets.
        Some(AdvisedLayout::SplitPoints(_)) => match existing.points.as_slice() {
            [own @ .., end] if end.ends_with(b":~") => {
                Candidate::with_split_points(label, settings, own)
            }
            all => Candidate::with_split_points(label, settings, all),
        },
    }
}

/// Returns the entry of an existing design in the spec.
pub(super) fn advised(
    existing: &ExistingDesign,
    forecast: &DesignForecast,
    options: &AdviceOptions,
) -> AdvisedDesign {
    let of_table = existing.layout.clone();
    let of_table = of_table.filter(|_| !options.is_for_others());
    let unsplit = || {
        let is_one = is_of_table(existing, options);
        is_one.then(|| AdvisedLayout::SplitPoints(Vec::new()))
    };
    AdvisedDesign {
        layout: of_table
            .or_else(unsplit)
            .unwrap_or_else(|| AdvisedLayout::for_forecast(forecast)),
        settings: existing.settings.clone(),
    }
}

/// Checks whether the advice for a design is to keep its tablets in the table. An unsplit table has
/// no tablets of a row hasher, because the last of them ends with the hasher's prefix.
fn is_of_table(existing: &ExistingDesign, options: &AdviceOptions) -> bool {
    let table = options.table.as_ref();
    let is_unsplit = table.is_some_and(|table| table.splits.is_empty());
    let is_hasher = matches!(existing.settings, DesignSettings::RowHasher(_));
    let is_there = existing.layout.is_some() || (is_unsplit && !is_hasher);
    is_there && !options.is_for_others()
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
