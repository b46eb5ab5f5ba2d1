//! Which design to use, in how many tablets, and why.
//!
//! # How a design is chosen
//! 1. What the keys cannot have is out, and what makes a read impossible that was asked for, or some such reads: which
//!    prefixes or ranges will be asked for is not known.
//! 2. Out is what is uneven: the fullest tablet takes more than 1.5 times the mean, with 95 % confidence and
//!    by more than chance gives (four standard deviations of a Poisson count, and four), or by one salted part alone, or
//!    already by how the design divides its salts; or one tablet takes more than twice its part of the
//!    newest twentieth of the keys. What chance gives is counted in salted parts: keys that share one fall once.
//! 3. Of the rest the one in which the reads that were asked for, and that of one row, fall into the fewest pieces, added up.
//!    A design with salts for fewer tablets than are wanted comes after all that have enough.
//! 4. Of equals the first in this order: no salt, the row hasher, digests from wide to narrow, what keeps a
//!    domain or an entity together, reversed, a modulus, a random salt. Keys without a
//!    salt have every scan in one piece; and wide salts let the table have more tablets later with the same keys.
//!
//! A random salt spreads writes of one row by making rows of them, each of which is looked for in every piece: it is not
//! advised where rows are read one by one.
//!
//! Keys and tables that have designs already are answered with these, in the tablets that the table has, whatever the
//! other designs would do: a second salt would make keys longer, and taking one off would undo the table. A table that is
//! split for plain rows, which lie evenly in it, is left as it is too.
//!
//! Where nothing is left, the design whose fullest tablet is the least full is named, and the advice says that it is not
//! good.

mod as_it_is;
mod decision;
mod error;
mod keys;
mod settings;
mod verdict;

use fluo_core::Escaped;
use serde::Serialize;

pub use self::decision::Decision;
pub use self::error::AdviceError;
pub use self::keys::{Finding, Weight};
pub use self::settings::{AdviceSettings, Read, TabletAdvice};
pub use self::verdict::{DesignVerdict, Standing};

use self::as_it_is::Tried;
use self::decision::Facts;
use super::existing::Existing;
use super::words::plural;
use super::{
    Candidate, DesignForecast, ExistingRecipe, KeyProfile, OtherKeys, SaltedLook, ScanCosts,
};
use crate::key_design::DesignSettings;

/// What to do with keys, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The decision, of which the first of the reasons is the sentence.
    pub decision: Decision,
    /// How many tablets.
    pub tablets: TabletAdvice,
    /// The recipes that the keys, or the split points of their table, have already; none of plain rows. Then the spec
    /// holds these.
    pub existing: Vec<ExistingRecipe>,
    /// Keys that none of these recipes has made.
    pub others: Option<OtherKeys>,
    /// What the keys are like.
    pub findings: Vec<Finding>,
    /// How each design stands, in the order of the forecasts.
    pub verdicts: Vec<DesignVerdict>,
    /// The label of the design to use, or the labels of the recipes that are there, separated by commas; none of no keys,
    /// or where no design is possible.
    pub design: Option<String>,
    /// What to do, in sentences.
    pub reasons: Vec<String>,
    /// The spec file to use; none where no design is named.
    pub spec: Option<AdvisedSpec>,
}

/// A spec file: in TOML it is what `fluo table plan --spec` reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AdvisedSpec {
    /// The key designs of the table: one, or those that a table has already.
    pub key_design: Vec<AdvisedDesign>,
}

/// A key design in a spec file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AdvisedDesign {
    /// In how many tablets, or where they end.
    #[serde(flatten)]
    pub layout: AdvisedLayout,
    /// The design.
    #[serde(flatten)]
    pub settings: DesignSettings,
    /// Designs that rows of it may still be written in, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<DesignSettings>,
}

/// Where a table is split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AdvisedLayout {
    /// Into so many tablets, at the design's own split points.
    Tablets(u32),
    /// At these keys, in the escaped form: those of the sample, where the design has none of its own.
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

/// Everything the advisor has to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AdvisorReport {
    /// What the keys look like.
    pub profile: KeyProfile,
    /// What each design would do to them.
    pub forecasts: Vec<DesignForecast>,
    /// What to do.
    pub advice: Advice,
}

impl AdvisorReport {
    /// Tries the designs that suit the keys, and advises.
    ///
    /// # Errors
    /// A setting that no table has: see [`AdviceSettings::tablets`].
    ///
    /// ```
    /// use fluo_recipes::advisor::{AdviceSettings, AdvisorReport, ProfileBuilder, ProfileSettings};
    ///
    /// let mut builder = ProfileBuilder::new(ProfileSettings::default());
    /// for id in 0..20_000 {
    ///     builder.push(format!("order-{id:08}").as_bytes());
    /// }
    /// let settings = AdviceSettings { servers: 4, ..AdviceSettings::default() };
    /// let report = AdvisorReport::of(builder.finish(), &settings)?;
    /// assert_eq!(report.advice.tablets.tablets, 16);
    /// assert_eq!(report.advice.design.as_deref(), Some("row-hasher"));
    /// # Ok::<(), fluo_recipes::advisor::AdviceError>(())
    /// ```
    pub fn of(profile: KeyProfile, settings: &AdviceSettings) -> Result<Self, AdviceError> {
        Self::with_own(profile, Vec::new(), settings)
    }

    /// Tries the designs that suit the keys, then these, and advises. Of keys that have designs already those are tried
    /// on the rows, without their salts, and then these.
    ///
    /// # Errors
    /// A setting that no table has: see [`AdviceSettings::tablets`].
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
    /// A setting that no table has: see [`AdviceSettings::tablets`].
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
        let is_good = verdict.standing != Standing::Uneven;
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
                "Rows are taken to be read one by one. If they are scanned, say how: the choice may be another.".to_owned(),
            );
        }
        if is_good {
            verdict.standing = Standing::Recommended;
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

/// Why no design is named.
fn no_choice(
    profile: &KeyProfile,
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    settings: &AdviceSettings,
) -> Vec<String> {
    let is_unreadable = |verdict: &DesignVerdict| verdict.standing == Standing::Unreadable;
    if profile.keys == 0 || !verdicts.iter().any(is_unreadable) {
        return vec![Decision::NoDesign.sentence(&Facts::default())];
    }
    let mut reasons = vec![
        "No design can be advised for these keys: each that they can have makes a read impossible that was asked for."
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

/// The place of the design to use.
fn choice(
    profile: &KeyProfile,
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    settings: &AdviceSettings,
) -> Option<usize> {
    if profile.keys == 0 {
        return None;
    }
    let of_standing = |standing: Standing| {
        let all = forecasts.iter().zip(verdicts).enumerate();
        all.filter(move |(_, (_, verdict))| verdict.standing == standing)
            .map(|(place, (forecast, _))| (place, forecast))
    };
    let best = |standing| {
        of_standing(standing)
            .filter_map(|(place, forecast)| Some((pieces(forecast, settings)?, place)))
            .min()
    };
    let least_bad =
        || of_standing(Standing::Uneven).min_by(|(_, a), (_, b)| fullest(a).total_cmp(&fullest(b)));
    best(Standing::Suitable)
        .or_else(|| best(Standing::TooFewTablets))
        .map(|(_, place)| place)
        .or_else(|| least_bad().map(|(place, _)| place))
}

/// Into how many pieces the reads fall together; none where one of them cannot be done.
fn pieces(forecast: &DesignForecast, settings: &AdviceSettings) -> Option<u64> {
    let (_, scans) = forecast.possible()?;
    let of_read = |read: Read| match read {
        Read::Prefix => scans.by_prefix.pieces(),
        Read::Range => scans.by_range.pieces(),
        Read::Field => scans.by_leading_field.as_ref()?.pieces(),
        Read::Domain => scans.by_domain.as_ref()?.pieces(),
    };
    settings
        .different_reads()
        .map(of_read)
        .try_fold(scans.by_row.pieces()?, |sum, pieces| {
            Some(sum.saturating_add(pieces?))
        })
}

/// How full the fullest tablet is, of all keys or of the newest, whichever is worse.
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
