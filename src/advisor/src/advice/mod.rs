//! Advice: the design to use, the number of tablets, and the reasons.
//!
//! # Choice of a design
//!
//! 1. A design is rejected if the keys cannot have it, or if it makes a requested read impossible.
//!    A design that supports only some prefixes or ranges is rejected too, because the prefixes and
//!    ranges of the application are unknown.
//! 2. A design is rejected if it is uneven. The fullest tablet takes more than 1.5 times the mean,
//!    with 95 % confidence and by more than chance gives (four standard deviations of a Poisson
//!    count, and four), or by one salted part alone, or by the way in which the design divides its
//!    salts. Or one tablet takes more than twice its share of the newest twentieth of the keys.
//!    Chance is counted in salted parts, because keys that share one are placed once.
//! 3. Of the other designs, the best is the one with the fewest pieces of the requested reads and
//!    of a read of one row together. A design with salts for fewer tablets than wanted comes after
//!    all that have enough.
//! 4. Of several such designs, the first in this order is the best: no salt, the row hasher,
//!    digests from wide to narrow, designs that keep a domain or an entity together, reversed, a
//!    modulus, a random salt. Keys without a salt have each scan in one piece. Wide salts allow
//!    more tablets later with the same keys.
//!
//! A random salt spreads writes of one row by storing several rows, and a read looks for each in
//! every piece. It is not advised if rows are read one by one.
//!
//! Keys and tables that already have designs keep them, in the tablets of the table, regardless of
//! the other designs: a second salt would make keys longer, and removing one would change the whole
//! table. A table that is split for plain rows that are spread evenly is kept, too.
//!
//! If all designs are rejected, the advice names the one whose fullest tablet is the least full,
//! and states that it is not good.

mod advise;
mod as_it_is;
mod choice;
mod decision;
mod design_reason;
mod evenness;
mod finding;
mod key_share;
mod keys;
mod keys_without_design;
mod load_reason;
mod options;
mod reason;
mod recipe_tablets;
mod report;
mod spec;
mod tablets;
mod verdict;

use serde::Serialize;

pub use self::advise::{advise, advise_among, advise_with};
pub use self::decision::{Decision, DesignInTablets, Unevenness};
pub use self::design_reason::DesignReason;
pub use self::finding::{
    DesignFinding, Finding, OrderFinding, RepeatedFinding, Severity, TableFinding,
};
pub use self::key_share::KeyShare;
pub use self::keys_without_design::KeysWithoutDesign;
pub use self::load_reason::{Evenness, FullestLoad, LoadReason};
pub use self::options::{AdviceOptions, Read};
pub use self::reason::AdviceReason;
pub use self::report::AdvisorReport;
pub use self::spec::{AdvisedDesign, AdvisedSpec};
pub use self::tablets::{TabletAdvice, TabletDemand, TabletReason};
pub use self::verdict::{DesignVerdict, Suitability};

use self::choice::{choice, is_unsalted};
use self::verdict::Tried;
use crate::existing::Existing;
use crate::{
    AdvisedLayout, DesignForecast, ExistingRecipe, KeyProfile, OtherKeys, SaltedLook, ScanCosts,
};

/// The advice on keys, with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The decision. It is the first of the reasons, too.
    pub decision: Decision,
    /// The number of tablets.
    pub tablets: TabletAdvice,
    /// The recipes that the keys, or the split points of their table, already have; empty for plain
    /// rows. If there are any, the spec contains them.
    pub existing: Vec<ExistingRecipe>,
    /// The keys that belong to none of these recipes.
    pub others: Option<OtherKeys>,
    /// The findings about the keys.
    pub findings: Vec<Finding>,
    /// The verdict on each design, in the order of the forecasts.
    pub verdicts: Vec<DesignVerdict>,
    /// The label of the design to use, or the labels of the existing recipes, separated by commas.
    /// `None` if there are no keys, or no design is possible.
    pub design: Option<String>,
    /// The reasons, the decision first.
    pub reasons: Vec<AdviceReason>,
    /// The spec file to use; `None` if no design is advised.
    pub spec: Option<AdvisedSpec>,
}

impl Advice {
    fn new(
        profile: &KeyProfile,
        forecasts: &[DesignForecast],
        existing: &Existing,
        tablets: TabletAdvice,
        options: &AdviceOptions,
    ) -> Self {
        let wanted = Tried::In(tablets.tablets);
        let verdict = |forecast: &DesignForecast| {
            let is_there = forecast.candidate.split_points.is_some();
            let tried = if is_there { Tried::AsItIs } else { wanted };
            DesignVerdict::new(profile, forecast, options, tried)
        };
        let mut verdicts: Vec<_> = forecasts.iter().map(verdict).collect();
        let look = existing.look.as_ref().filter(|_| options.table.is_some());
        let chosen = match look {
            Some(_) => forecasts.iter().position(is_unsalted),
            None => choice(profile, forecasts, &verdicts, options),
        };
        let is_unreadable = profile.keys > 0
            && verdicts
                .iter()
                .any(|verdict| verdict.standing == Suitability::Unreadable);
        let mut advice = Self {
            decision: Decision::NoDesign { is_unreadable },
            findings: keys::findings(profile, options, tablets.tablets, existing),
            tablets,
            existing: Vec::new(),
            others: None,
            verdicts: Vec::new(),
            design: None,
            reasons: Vec::new(),
            spec: None,
        };
        match chosen.and_then(|place| forecasts.get(place).zip(verdicts.get_mut(place))) {
            Some((forecast, verdict)) => advice.settle(forecast, verdict, look, options),
            None => advice.settle_without_design(forecasts, is_unreadable, options),
        }
        advice.verdicts = verdicts;
        advice
    }

    /// Advises a design.
    fn settle(
        &mut self,
        forecast: &DesignForecast,
        verdict: &mut DesignVerdict,
        look: Option<&SaltedLook>,
        options: &AdviceOptions,
    ) {
        let candidate = &forecast.candidate;
        let is_good = verdict.standing != Suitability::Uneven;
        self.decision = decision(forecast, is_good, look);
        self.reasons
            .push(AdviceReason::Decision(self.decision.clone()));
        if candidate.split_points.is_some() {
            let found = candidate.tablets.into();
            self.tablets = TabletAdvice {
                tablets: candidate.tablets,
                reason: match self.decision {
                    Decision::UnknownDesign { .. } => TabletReason::OfSpreadKeys(found),
                    _ => TabletReason::OfPlainRows(found),
                },
            };
        }
        self.reasons
            .push(AdviceReason::Tablets(self.tablets.reason.clone()));
        let of_design = verdict.reasons.iter().cloned();
        self.reasons
            .extend(of_design.map(|reason| AdviceReason::Design {
                label: None,
                reason,
            }));
        if options.reads.is_empty() && look.is_none() {
            self.reasons.push(AdviceReason::UnknownReads);
        }
        if is_good {
            verdict.standing = Suitability::Recommended;
        }
        self.design = Some(candidate.label.clone());
        self.spec = Some(AdvisedSpec {
            key_design: vec![AdvisedDesign {
                layout: AdvisedLayout::for_forecast(forecast),
                settings: candidate.settings.clone(),
                before: Vec::new(),
            }],
        });
    }

    /// Advises no design, and names the requested reads that no key supports.
    fn settle_without_design(
        &mut self,
        forecasts: &[DesignForecast],
        is_unreadable: bool,
        options: &AdviceOptions,
    ) {
        self.reasons
            .push(AdviceReason::Decision(self.decision.clone()));
        let has_none = |cost: fn(&ScanCosts) -> bool| {
            let mut scans = forecasts.iter().filter_map(DesignForecast::possible);
            scans.all(|(_, scans)| cost(scans))
        };
        let unsupported = [
            (
                Read::Field,
                has_none(|scans| scans.by_leading_field.is_none()),
            ),
            (Read::Domain, has_none(|scans| scans.by_domain.is_none())),
        ];
        let requested = unsupported
            .into_iter()
            .filter(|(read, is_none)| is_unreadable && *is_none && options.reads.contains(read));
        self.reasons
            .extend(requested.map(|(read, _)| AdviceReason::UnsupportedRead(read)));
    }
}

/// Returns the decision for a design of plain keys.
fn decision(forecast: &DesignForecast, is_good: bool, look: Option<&SaltedLook>) -> Decision {
    let candidate = &forecast.candidate;
    let label = candidate.label.clone();
    let tablets = match forecast.possible() {
        Some((load, _)) => verdict::tablets(forecast, load),
        None => candidate.tablets.into(),
    };
    let is_split = candidate.split_points.is_some() && candidate.tablets > 1;
    match look {
        _ if is_split && is_good => Decision::Plain { tablets },
        Some(look) => Decision::UnknownDesign {
            look: look.clone(),
            keys: None,
        },
        None if !is_good => Decision::LeastBad { label, tablets },
        None if is_unsalted(forecast) => Decision::NewSplits { tablets },
        None => Decision::NewDesign { label, tablets },
    }
}
