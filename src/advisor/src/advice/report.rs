//! The report of the advisor: one ranked table of designs, and the decision.

use serde::Serialize;

use super::fault::Fault;
use super::kept;
use super::options::AdviceOptions;
use super::ranked_design::{RankedDesign, Suitability};

use crate::existing::MAX_KEYS;
use crate::{AdvisedDesign, AdvisedLayout, AdvisedSpec, ExistingDesign, KeyProfile, OtherKeys};

/// The decision of an advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// The keys have designs, and keep them.
    HasDesign,
    /// The keys have designs, and keep them, though they use the servers unevenly.
    HasUnevenDesign,
    /// The table is split for designs of few of its rows. The others have no known design.
    MostlyPlain,
    /// The table has plain rows that are spread evenly over its tablets. It stays as it is.
    Plain,
    /// Plain keys spread by themselves, if a table is split for them.
    NewSplits,
    /// Plain keys need a design that spreads them.
    NewDesign,
    /// No design spreads the keys well; one is the least bad.
    LeastBad,
    /// No design is possible, or none supports the requested reads.
    NoDesign,
}

/// The complete report of the advisor: the result of [`advise`](crate::advise).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AdvisorReport {
    /// The decision.
    pub decision: Decision,
    /// The advised number of tablets.
    pub tablets: u32,
    /// The properties of the keys.
    pub profile: KeyProfile,
    /// The designs that the keys, or the split points of their table, already have; empty for plain
    /// rows. They are the first of the ranked designs, and the spec contains them.
    pub existing: Vec<ExistingDesign>,
    /// The keys that belong to none of these designs.
    pub others: Option<OtherKeys>,
    /// All tried designs, the advised one first.
    pub designs: Vec<RankedDesign>,
    /// The spec file to use. `None` if no design is advised, or if the balancer's pattern has
    /// groups of other recipes, which no spec can name.
    pub spec: Option<AdvisedSpec>,
}

impl AdvisorReport {
    /// Returns the advised designs: several if the keys already have several. Empty if no design is
    /// advised.
    #[must_use]
    pub fn advised(&self) -> &[RankedDesign] {
        let advised = match self.decision {
            Decision::NoDesign => 0,
            _ => self.existing.len().max(1),
        };
        self.designs.get(..advised).unwrap_or_default()
    }

    /// Ranks designs of plain keys, and advises the best.
    pub(super) fn ranked(
        profile: KeyProfile,
        mut designs: Vec<RankedDesign>,
        tablets: u32,
        options: &AdviceOptions,
    ) -> Self {
        rank(&mut designs, options);
        let best = designs.first_mut().filter(|_| profile.keys > 0);
        let decision = best.map_or(Decision::NoDesign, decide);
        let advised = designs.first().filter(|_| decision != Decision::NoDesign);
        let of_table = advised.filter(|design| design.forecast.candidate.split_points.is_some());
        let spec = advised.map(|design| AdvisedSpec {
            key_design: vec![AdvisedDesign {
                layout: AdvisedLayout::for_forecast(&design.forecast),
                settings: design.forecast.candidate.settings.clone(),
            }],
        });
        Self {
            decision,
            tablets: of_table.map_or(tablets, |design| design.forecast.candidate.tablets),
            profile,
            existing: Vec::new(),
            others: None,
            spec,
            designs,
        }
    }

    /// Keeps existing designs, in their order.
    pub(super) fn kept(
        existing: Vec<ExistingDesign>,
        mut designs: Vec<RankedDesign>,
        options: &AdviceOptions,
    ) -> Self {
        let tablets = designs.iter().map(RankedDesign::tablets).sum();
        let servers = options.servers;
        let are_few = tablets < u64::from(servers);
        for design in &mut designs {
            if design.suitability == Suitability::Suitable {
                design.suitability = Suitability::Recommended;
            }
            let few = are_few.then_some(Fault::FewerThanServers { tablets, servers });
            design.faults.extend(few);
        }
        let entries = existing.iter().zip(&designs);
        let entries =
            entries.map(|(existing, design)| kept::advised(existing, &design.forecast, options));
        let is_uneven = |fault: &Fault| {
            matches!(fault, Fault::FullTablet { .. } | Fault::FewerThanServers { .. })
        };
        let mut faults = designs.iter().flat_map(|design| &design.faults);
        Self {
            decision: if faults.any(is_uneven) {
                Decision::HasUnevenDesign
            } else {
                Decision::HasDesign
            },
            tablets: u32::try_from(tablets).unwrap_or(u32::MAX),
            profile: KeyProfile::default(),
            others: None,
            spec: Some(AdvisedSpec { key_design: entries.collect() }),
            existing,
            designs,
        }
    }

    /// Decides that a table is mostly plain if most of its keys have no design.
    pub(super) fn decide_on_others(&mut self) {
        let others = self.others.as_ref();
        if others.is_some_and(|others| others.share > MAX_KEYS) {
            self.decision = Decision::MostlyPlain;
        }
    }
}

/// Sorts designs, the best first. Designs of equal rank keep their order.
fn rank(designs: &mut [RankedDesign], options: &AdviceOptions) {
    let pieces = |design: &RankedDesign| match design.suitability {
        Suitability::Uneven => 0,
        _ => design.pieces(options).unwrap_or(u64::MAX),
    };
    designs.sort_by(|a, b| {
        let by_suitability = a.suitability.cmp(&b.suitability);
        let by_pieces = || pieces(a).cmp(&pieces(b));
        let by_fullest = || match a.suitability {
            Suitability::Uneven => a.fullest().total_cmp(&b.fullest()),
            _ => std::cmp::Ordering::Equal,
        };
        by_suitability.then_with(by_pieces).then_with(by_fullest)
    });
}

/// Decides on the best of the ranked designs, and recommends it if it is good.
fn decide(best: &mut RankedDesign) -> Decision {
    let candidate = &best.forecast.candidate;
    let is_split = candidate.split_points.is_some() && candidate.tablets > 1;
    match best.suitability {
        Suitability::Unreadable | Suitability::Impossible => return Decision::NoDesign,
        Suitability::Uneven => return Decision::LeastBad,
        _ => best.suitability = Suitability::Recommended,
    }
    if is_split {
        Decision::Plain
    } else if best.is_unsalted() {
        Decision::NewSplits
    } else {
        Decision::NewDesign
    }
}
