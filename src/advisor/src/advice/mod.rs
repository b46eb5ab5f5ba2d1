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

mod as_it_is;
mod decision;
mod error;
mod keys;
mod settings;
mod verdict;

use fluo_recipes::DesignSettings;
use fluo_table::Escaped;
use serde::Serialize;

pub use self::decision::Decision;
pub use self::error::AdviceError;
pub use self::keys::{Finding, Severity};
pub use self::settings::{AdviceSettings, Read, TabletAdvice};
pub use self::verdict::{DesignVerdict, Suitability};

use self::as_it_is::Tried;
use self::decision::Facts;
use super::existing::Existing;
use super::formatting::plural;
use super::{
    Candidate, DesignForecast, ExistingRecipe, KeyProfile, OtherKeys, SaltedLook, ScanCosts,
};

/// The advice on keys, with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The decision. The first of the reasons is its sentence.
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
    /// The advice, in sentences.
    pub reasons: Vec<String>,
    /// The spec file to use; `None` if no design is advised.
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
    /// The earlier designs that rows may still have, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<DesignSettings>,
}

/// The split points of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AdvisedLayout {
    /// The design's own split points for this many tablets.
    Tablets(u32),
    /// These points, in the escaped form, which come from the sample or from the table.
    SplitPoints(Vec<String>),
}

impl AdvisedLayout {
    fn of(forecast: &DesignForecast) -> Self {
        match forecast.possible() {
            Some((load, _))
                if load.splits_are_of_the_sample || forecast.candidate.split_points.is_some() =>
            {
                let points = load.splits.iter();
                Self::SplitPoints(points.map(|point| Escaped(point).to_string()).collect())
            }
            _ => Self::Tablets(forecast.candidate.tablets),
        }
    }
}

/// The complete report of the advisor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AdvisorReport {
    /// The properties of the keys.
    pub profile: KeyProfile,
    /// The effect of each design on them.
    pub forecasts: Vec<DesignForecast>,
    /// The advice.
    pub advice: Advice,
}

impl AdvisorReport {
    /// Tries the designs that suit the keys, and advises.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is impossible: see [`AdviceSettings::tablets`].
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_advisor::{
    ///     AdviceSettings, AdvisorReport, ProfileBuilder, ProfileSettings,
    /// };
    ///
    /// let mut builder = ProfileBuilder::new(ProfileSettings::default());
    /// for id in 0..20_000 {
    ///     builder.push(format!("order-{id:08}").as_bytes());
    /// }
    /// let settings = AdviceSettings { servers: 4, ..AdviceSettings::default() };
    /// let report = AdvisorReport::of(builder.finish(), &settings)?;
    /// assert_eq!(report.advice.tablets.tablets, 16);
    /// assert_eq!(report.advice.design.as_deref(), Some("row-hasher"));
    /// # Ok::<(), fluo_advisor::AdviceError>(())
    /// ```
    pub fn of(profile: KeyProfile, settings: &AdviceSettings) -> Result<Self, AdviceError> {
        Self::with_own(profile, Vec::new(), settings)
    }

    /// Tries the designs that suit the keys, then these, and advises. If keys already have designs,
    /// those are tried on the rows without their salts, and then these.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is impossible: see [`AdviceSettings::tablets`].
    pub fn with_own(
        profile: KeyProfile,
        own: Vec<Candidate>,
        settings: &AdviceSettings,
    ) -> Result<Self, AdviceError> {
        let tablets = settings.tablets()?;
        let existing = Existing::of(&profile, settings.table.as_ref());
        if !existing.is_none() {
            return Ok(Self::as_it_is(profile, &existing, own, settings));
        }
        let table = settings
            .table
            .as_ref()
            .filter(|_| !settings.is_for_others());
        let plain = table.and_then(|table| as_it_is::plain_rows(table, &existing));
        let suiting = Candidate::all_for(&profile, tablets.tablets);
        let candidates = plain.into_iter().chain(suiting).chain(own).collect();
        Ok(Self::among(
            profile, candidates, &existing, tablets, settings,
        ))
    }

    /// Tries these designs on the keys as they are, and advises.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is impossible: see [`AdviceSettings::tablets`].
    pub fn of_candidates(
        profile: KeyProfile,
        candidates: Vec<Candidate>,
        settings: &AdviceSettings,
    ) -> Result<Self, AdviceError> {
        let tablets = settings.tablets()?;
        let existing = Existing::default();
        Ok(Self::among(
            profile, candidates, &existing, tablets, settings,
        ))
    }

    fn among(
        profile: KeyProfile,
        candidates: Vec<Candidate>,
        existing: &Existing,
        tablets: TabletAdvice,
        settings: &AdviceSettings,
    ) -> Self {
        let forecasts: Vec<_> = candidates
            .into_iter()
            .map(|candidate| DesignForecast::of(&profile, candidate))
            .collect();
        let advice = Advice::of(&profile, &forecasts, existing, tablets, settings);
        Self {
            profile,
            forecasts,
            advice,
        }
    }
}

impl Advice {
    fn of(
        profile: &KeyProfile,
        forecasts: &[DesignForecast],
        existing: &Existing,
        tablets: TabletAdvice,
        settings: &AdviceSettings,
    ) -> Self {
        let wanted = Tried::In(tablets.tablets);
        let verdict = |forecast: &DesignForecast| {
            let is_there = forecast.candidate.split_points.is_some();
            let tried = if is_there { Tried::AsItIs } else { wanted };
            verdict::verdict(profile, forecast, settings, tried)
        };
        let mut verdicts: Vec<_> = forecasts.iter().map(verdict).collect();
        let look = existing.look.as_ref().filter(|_| settings.table.is_some());
        let chosen = match look {
            Some(_) => forecasts.iter().position(is_unsalted),
            None => choice(profile, forecasts, &verdicts, settings),
        };
        let mut advice = Self {
            decision: Decision::NoDesign,
            findings: keys::findings(profile, settings, tablets.tablets, existing),
            tablets,
            existing: Vec::new(),
            others: None,
            verdicts: Vec::new(),
            design: None,
            reasons: Vec::new(),
            spec: None,
        };
        match chosen.and_then(|place| forecasts.get(place).zip(verdicts.get_mut(place))) {
            None => advice.reasons = no_choice(profile, forecasts, &verdicts, settings),
            Some((forecast, verdict)) => advice.settle(forecast, verdict, look, settings),
        }
        advice.verdicts = verdicts;
        advice
    }

    fn settle(
        &mut self,
        forecast: &DesignForecast,
        verdict: &mut DesignVerdict,
        look: Option<&SaltedLook>,
        settings: &AdviceSettings,
    ) {
        let candidate = &forecast.candidate;
        let tablets = match forecast.possible() {
            Some((load, _)) => verdict::tablets(forecast, load),
            None => candidate.tablets.into(),
        };
        let label = &candidate.label;
        let is_good = verdict.standing != Suitability::Uneven;
        let is_there = candidate.split_points.is_some();
        let is_split = candidate.tablets > 1;
        self.decision = match look {
            _ if is_there && is_split && is_good => Decision::Plain,
            Some(_) => Decision::UnknownDesign,
            None if !is_good => Decision::LeastBad,
            None if is_unsalted(forecast) => Decision::NewSplits,
            None => Decision::NewDesign,
        };
        self.reasons.push(self.decision.sentence(&Facts {
            designs: label.clone(),
            tablets: plural(tablets, "tablet"),
            look: look.map(ToString::to_string).unwrap_or_default(),
            ..Facts::default()
        }));
        if is_there {
            self.tablets = as_it_is::tablets_of_table(candidate.tablets, self.decision);
        }
        self.reasons.push(self.tablets.reason.clone());
        self.reasons.extend(verdict.reasons.iter().cloned());
        if settings.reads.is_empty() && look.is_none() {
            self.reasons.push(
                "Rows are assumed to be read one by one. If they are scanned, state how: the choice may differ.".to_owned(),
            );
        }
        if is_good {
            verdict.standing = Suitability::Recommended;
        }
        self.design = Some(label.clone());
        self.spec = Some(AdvisedSpec {
            key_design: vec![AdvisedDesign {
                layout: AdvisedLayout::of(forecast),
                settings: candidate.settings.clone(),
                before: Vec::new(),
            }],
        });
    }
}

/// Returns the reasons why no design is advised.
fn no_choice(
    profile: &KeyProfile,
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    settings: &AdviceSettings,
) -> Vec<String> {
    let is_unreadable = |verdict: &DesignVerdict| verdict.standing == Suitability::Unreadable;
    if profile.keys == 0 || !verdicts.iter().any(is_unreadable) {
        return vec![Decision::NoDesign.sentence(&Facts::default())];
    }
    let mut reasons = vec![
        "No design can be advised for these keys: each possible design makes a requested read impossible."
            .to_owned(),
    ];
    let has_none = |cost: fn(&ScanCosts) -> bool| {
        let mut scans = forecasts.iter().filter_map(DesignForecast::possible);
        scans.all(|(_, scans)| cost(scans))
    };
    let impossible = [
        (
            Read::Field,
            has_none(|scans| scans.by_leading_field.is_none()),
            "one leading field",
            verdict::NO_FIELD,
        ),
        (
            Read::Domain,
            has_none(|scans| scans.by_domain.is_none()),
            "a domain",
            verdict::NO_DOMAIN,
        ),
    ];
    for (read, is_of_none, what, why) in impossible {
        if is_of_none && settings.reads.contains(&read) {
            reasons.push(format!("A scan of {what}: impossible: {why}."));
        }
    }
    reasons
}

fn is_unsalted(forecast: &DesignForecast) -> bool {
    matches!(forecast.candidate.settings, DesignSettings::Unsalted(_))
}

/// Returns the place of the design to use.
fn choice(
    profile: &KeyProfile,
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    settings: &AdviceSettings,
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
            .filter_map(|(place, forecast)| Some((pieces(forecast, settings)?, place)))
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
fn pieces(forecast: &DesignForecast, settings: &AdviceSettings) -> Option<u64> {
    let (_, scans) = forecast.possible()?;
    let of_read = |read: Read| match read {
        Read::Prefix => scans.by_prefix.ranges(),
        Read::Range => scans.by_range.ranges(),
        Read::Field => scans.by_leading_field.as_ref()?.ranges(),
        Read::Domain => scans.by_domain.as_ref()?.ranges(),
    };
    settings
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
    let tablets = crate::number::float_len(load.tablets());
    let tail = load
        .tail
        .as_ref()
        .map_or(0.0, |tail| tail.busiest_share.value * tablets);
    load.largest_over_mean.value.max(tail)
}
