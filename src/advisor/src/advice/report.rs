//! The report of the advisor: one ranked table of designs, and the decision.

use fluo_keys::DesignSettings;
use serde::Serialize;

use super::options::AdviceOptions;
use super::ranked_design::{Fullest, RankedDesign, Suitability};
use crate::{AdvisedLayout, ExistingDesign, KeyProfile, OtherKeys};

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
    /// `true` if another design is advised for keys of a table that may have salts of an unknown
    /// one. The spec does not name `unsalted` as their earlier design.
    pub may_be_salted: bool,
    /// All tried designs, the advised one first.
    pub designs: Vec<RankedDesign>,
    /// The spec file to use. `None` if no design is advised, or if the balancer's pattern has
    /// groups of other recipes, which no spec can name.
    pub spec: Option<AdvisedSpec>,
}

/// A spec file, which is written as TOML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AdvisedSpec {
    /// The key designs of the table: one, or those that the table already has.
    pub key_design: Vec<AdvisedDesign>,
}

/// A key design in a spec file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AdvisedDesign {
    /// The number of tablets, or their ends.
    #[serde(flatten)]
    pub layout: AdvisedLayout,
    /// The design.
    #[serde(flatten)]
    pub settings: DesignSettings,
    /// The designs from which the rows of the table can migrate to it; empty without a table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<DesignSettings>,
}

impl AdvisorReport {
    /// Returns the advised designs: several if the keys already have several. Empty if no design is
    /// advised.
    pub fn advised(&self) -> &[RankedDesign] {
        let advised = match self.decision {
            Decision::NoDesign => 0,
            _ => self.existing.len().max(1),
        };
        self.designs.get(..advised).unwrap_or_default()
    }
}

/// Sorts designs, the best first. Designs of equal rank keep their order.
pub(super) fn rank(designs: &mut [RankedDesign], options: &AdviceOptions) {
    designs.sort_by_cached_key(|design| {
        let (rank, pieces, fullest) = if design.is_bad(options.servers) {
            (Suitability::Uneven, 0, design.fullest(options.servers))
        } else {
            (design.suitability, design.pieces(options).unwrap_or(u64::MAX), Fullest::default())
        };
        // Floats that are not negative have the order of their bits.
        (rank, pieces, fullest.on_server.to_bits(), fullest.in_tablet.to_bits())
    });
}

/// Decides on the best of the ranked designs, and recommends it if it is good.
pub(super) fn decide(best: &mut RankedDesign, servers: u32) -> Decision {
    match best.suitability {
        Suitability::Unreadable | Suitability::Impossible => return Decision::NoDesign,
        _ if best.is_bad(servers) => return Decision::LeastBad,
        _ => best.suitability = Suitability::Recommended,
    }
    let candidate = &best.candidate;
    if candidate.split_points.is_some() && candidate.tablets > 1 {
        Decision::Plain
    } else if matches!(candidate.settings, DesignSettings::Unsalted(_)) {
        Decision::NewSplits
    } else {
        Decision::NewDesign
    }
}
