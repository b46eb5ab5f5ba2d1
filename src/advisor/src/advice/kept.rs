//! The advice to keep the designs that keys already have.

use super::fault::Fault;
use super::options::AdviceOptions;
use super::ranked_design::{RankedDesign, Suitability};
use super::report::{AdvisedDesign, AdvisedSpec, AdvisorReport, Decision};
use crate::existing::{Existing, MAX_KEYS};
use crate::{AdvisedLayout, Candidate, ExistingDesign, KeyProfile, ProfileBuilder};

pub(super) fn report(
    profile: KeyProfile,
    existing: Existing,
    options: &AdviceOptions,
) -> AdvisorReport {
    let (mut designs, mut key_design) = (Vec::new(), Vec::new());
    for (own, rows) in existing.designs.iter().zip(&existing.rows) {
        let layout = layout(own, options);
        let candidate = candidate(own, layout.clone(), options);
        let design = RankedDesign::new(rows, candidate, options, None);
        let layout = layout.unwrap_or_else(|| design.layout());
        key_design.push(AdvisedDesign {
            layout,
            settings: own.settings.clone(),
            before: Vec::new(),
        });
        designs.push(design);
    }
    let tablets = designs.iter().map(RankedDesign::tablets).sum();
    let servers = options.servers;
    let few =
        (tablets < u64::from(servers)).then_some(Fault::FewerThanServers { tablets, servers });
    let good = if few.is_some() { Suitability::TooFewTablets } else { Suitability::Recommended };
    for design in &mut designs {
        if design.suitability == Suitability::Suitable {
            design.suitability = good;
        }
        design.faults.extend(few.clone());
    }
    let is_uneven =
        |fault: &Fault| matches!(fault, Fault::FullTablet { .. } | Fault::FewerThanServers { .. });
    let decision = if existing.others.as_ref().is_some_and(|others| others.share > MAX_KEYS) {
        Decision::MostlyPlain
    } else if designs.iter().flat_map(|design| &design.faults).any(is_uneven) {
        Decision::HasUnevenDesign
    } else {
        Decision::HasDesign
    };
    let may_be_salted = decision == Decision::MostlyPlain && options.may_be_salted(&profile);
    if let ([only], Decision::MostlyPlain, false) = (&mut *key_design, decision, may_be_salted) {
        only.before = options.before(&only.settings);
    }
    let tablets = u32::try_from(tablets).unwrap_or(u32::MAX);
    if !options.also.is_empty() {
        let rows = all_rows(&profile, &existing.rows);
        let also = options.also.iter().cloned();
        designs.extend(also.map(|also| RankedDesign::new(&rows, also, options, Some(tablets))));
    }
    AdvisorReport {
        decision,
        tablets,
        profile,
        spec: (!existing.has_other_groups).then_some(AdvisedSpec { key_design }),
        existing: existing.designs,
        others: existing.others,
        may_be_salted,
        designs,
    }
}

/// Returns the candidate of an existing design: in its tablets in the table, or in the requested
/// ones.
fn candidate(
    existing: &ExistingDesign,
    layout: Option<AdvisedLayout>,
    options: &AdviceOptions,
) -> Candidate {
    let (label, settings) = (existing.label.clone(), existing.settings.clone());
    match layout {
        None => Candidate::new(label, settings, wanted(existing, options)),
        Some(AdvisedLayout::Tablets(tablets)) => Candidate::new(label, settings, tablets),
        Some(AdvisedLayout::SplitPoints(mut points)) => {
            // No row of a hasher sorts after the last split point of its tablets.
            points.pop_if(|end| end.ends_with(b":~"));
            Candidate::with_split_points(label, settings, &points)
        }
    }
}

/// Returns the tablets of the table that a design keeps; `None` if others are requested. An unsplit
/// table has no tablets of a row hasher, because the last of them ends with the hasher's prefix.
fn layout(existing: &ExistingDesign, options: &AdviceOptions) -> Option<AdvisedLayout> {
    let table = options.kept_table()?;
    let is_unsplit = table.splits.is_empty() && existing.design.row_hasher().is_none();
    let unsplit = || is_unsplit.then(|| AdvisedLayout::SplitPoints(Vec::new()));
    existing.layout.clone().or_else(unsplit)
}

/// Returns the number of tablets for a design: at most as many as it has salts. A design without
/// even split points can have any number.
fn wanted(existing: &ExistingDesign, options: &AdviceOptions) -> u32 {
    let mut wanted = options.for_one_design();
    let design = &existing.design;
    let can_have = |tablets| design.splits(tablets).is_ok() || design.splits(1).is_err();
    while wanted > 1 && !can_have(wanted) {
        wanted /= 2;
    }
    wanted
}

/// Returns the rows of all designs, without their salts.
fn all_rows(profile: &KeyProfile, of_designs: &[KeyProfile]) -> KeyProfile {
    let mut builder = ProfileBuilder::new(profile.order.arrivals);
    let rows = of_designs.iter().flat_map(|rows| &rows.sample.keys);
    rows.for_each(|sampled| builder.push(&sampled.key));
    let mut rows = builder.finish();
    rows.sample.is_complete = profile.sample.is_complete;
    rows
}
