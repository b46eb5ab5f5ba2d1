//! Advice on keys and tables that already have designs.

use fluo_recipes::{DesignSettings, KeyDesign, Unsalted};

use super::decision::{Decision, Facts};
use super::settings::{AdviceSettings, TabletAdvice};
use super::verdict::{self, DesignVerdict, Suitability};
use super::{Advice, AdvisedDesign, AdvisedLayout, AdvisedSpec, AdvisorReport, keys};
use crate::existing::{Existing, MOST_KEYS, name};
use crate::formatting::{percent, plural};
use crate::number::count;
use crate::{
    Candidate, DesignForecast, ExistingRecipe, ExistingTable, KeyProfile, OtherKeys,
    ProfileBuilder, ProfileSettings,
};

/// The share of keys without a design that is worth a warning.
const MANY_OTHERS: f64 = 0.01;

/// The reason to try a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// A table of this many tablets.
    In(u32),
    /// The design that the table has.
    AsItIs,
}

/// Returns the candidate of a table of plain rows with its present split points; `None` if the
/// table is not split and its keys do not spread by themselves.
pub(super) fn plain_rows(table: &ExistingTable, existing: &Existing) -> Option<Candidate> {
    let label = "unsalted, as the table is";
    let is_answer = !table.splits.is_empty() || existing.look.is_some();
    is_answer.then(|| Candidate::at(label, Unsalted {}, &table.splits))
}

/// Returns the tablets of a table of plain rows, which do not show where new rows will go.
pub(super) fn tablets_of_table(tablets: u32, decision: Decision) -> TabletAdvice {
    let found = plural(tablets.into(), "tablet");
    let reason = if decision == Decision::UnknownDesign {
        format!("{found}, as the table has. Keys that spread by themselves can be split anywhere.")
    } else {
        format!(
            "{found}, as the table has. A table does not show where new rows will go: if their keys ascend, as times and \
             counters do, all of them go to one tablet. A file of keys in their order of arrival shows it."
        )
    };
    TabletAdvice { tablets, reason }
}

impl AdvisorReport {
    /// Advises to keep the recipes of keys or of a table.
    pub(super) fn as_it_is(
        profile: KeyProfile,
        existing: &Existing,
        own: Vec<Candidate>,
        settings: &AdviceSettings,
    ) -> Self {
        let tried = existing.recipes.iter().zip(&existing.rows);
        let mut forecasts: Vec<_> = tried
            .map(|(recipe, rows)| DesignForecast::of(rows, candidate(recipe, settings)))
            .collect();
        let profiles: Vec<&KeyProfile> = existing.rows.iter().collect();
        let mut verdicts: Vec<_> = forecasts
            .iter()
            .zip(&profiles)
            .map(|(forecast, rows)| verdict::verdict(rows, forecast, settings, Tried::AsItIs))
            .collect();
        let advice = Advice::as_it_is(&profile, existing, &forecasts, &mut verdicts, settings);
        if !own.is_empty() {
            let rows = all_rows(&profile, existing);
            let wanted = Tried::In(advice.tablets.tablets);
            for candidate in own {
                let forecast = DesignForecast::of(&rows, candidate);
                verdicts.push(verdict::verdict(&rows, &forecast, settings, wanted));
                forecasts.push(forecast);
            }
        }
        Self {
            profile,
            forecasts,
            advice: Advice { verdicts, ..advice },
        }
    }
}

impl Advice {
    fn as_it_is(
        profile: &KeyProfile,
        existing: &Existing,
        forecasts: &[DesignForecast],
        verdicts: &mut [DesignVerdict],
        settings: &AdviceSettings,
    ) -> Self {
        let recipes = &existing.recipes;
        let tablets = tablets(recipes, forecasts, settings);
        let (decision, facts) = decided(profile, existing, forecasts, settings);
        let mut reasons = vec![decision.sentence(&facts)];
        if decision != Decision::UnknownDesign {
            reasons.push(tablets.reason.clone());
        }
        reasons.extend(recipes.iter().flat_map(about));
        let others = existing.others.as_ref();
        if let Some(others) = others.filter(|others| others.share <= MOST_KEYS) {
            reasons.extend(without_design(others, profile));
        }
        let is_one = recipes.len() == 1;
        for (verdict, recipe) in verdicts.iter_mut().zip(recipes) {
            if recipe.keys == 0 {
                verdict.reasons = vec![
                    "The table is split for it, but none of the keys that were read belongs to it."
                        .to_owned(),
                ];
                verdict.against.clone_from(&verdict.reasons);
            }
            if verdict.standing == Suitability::Suitable {
                verdict.standing = Suitability::Recommended;
            }
            let of_recipe = verdict.reasons.iter().map(|reason| {
                if is_one {
                    reason.clone()
                } else {
                    format!("{}: {reason}", verdict.label)
                }
            });
            reasons.extend(of_recipe);
        }
        if let Some(groups) = &existing.unknown_groups {
            reasons.push(format!(
                "The balancer's pattern also has groups of other recipes, `{groups}`. No spec can name them, and a plan \
                 would remove them, so there is no spec: leave the properties of the table as they are."
            ));
        }
        let spec = AdvisedSpec {
            key_design: recipes
                .iter()
                .zip(forecasts)
                .map(|(recipe, forecast)| advised(recipe, forecast, settings))
                .collect(),
        };
        let labels: Vec<_> = recipes.iter().map(|recipe| recipe.label.as_str()).collect();
        let is_known = decision != Decision::UnknownDesign;
        Self {
            decision,
            findings: keys::findings(profile, settings, tablets.tablets, existing),
            tablets,
            existing: recipes.clone(),
            others: existing.others.clone(),
            verdicts: Vec::new(),
            design: is_known.then(|| labels.join(", ")),
            reasons,
            spec: (is_known && existing.unknown_groups.is_none()).then_some(spec),
        }
    }
}

/// Returns the decision on keys with designs, with its facts.
fn decided(
    profile: &KeyProfile,
    existing: &Existing,
    forecasts: &[DesignForecast],
    settings: &AdviceSettings,
) -> (Decision, Facts) {
    let recipes = &existing.recipes;
    let is_of_table = recipes.iter().all(|recipe| is_of_table(recipe, settings));
    let facts = Facts {
        designs: names_in_tablets(recipes, forecasts),
        is_split: is_of_table,
        ..Facts::default()
    };
    if let Some(others) = existing
        .others
        .as_ref()
        .filter(|others| others.share > MOST_KEYS)
    {
        let keys = format!(
            "{} of {}, such as `{}`",
            percent(others.share),
            keys_read(profile),
            others.first
        );
        return match &others.look {
            Some(look) => {
                let keys = format!(". These keys are {keys}, so there is no spec");
                let look = look.to_string();
                (
                    Decision::UnknownDesign,
                    Facts {
                        keys,
                        look,
                        ..facts
                    },
                )
            }
            None => (Decision::MostlyPlain, Facts { keys, ..facts }),
        };
    }
    let moving: u64 = recipes.iter().map(|recipe| recipe.in_earlier_designs).sum();
    if moving > 0 {
        let are = if moving == 1 { "is" } else { "are" };
        let keys = format!("{} {are} still", plural(moving, "key"));
        return (Decision::MigrationUnderWay, Facts { keys, ..facts });
    }
    (Decision::HasDesign, facts)
}

/// Returns the advice on keys without a design, unless they are few.
fn without_design(others: &OtherKeys, profile: &KeyProfile) -> Option<String> {
    let remedy = match &others.look {
        Some(look) => format!(
            "an unknown design seems to have salted or hashed them ({look}), so leave them as they are"
        ),
        None => "if they were loaded without the design, load them again through it".to_owned(),
    };
    (others.share >= MANY_OTHERS).then(|| {
        format!(
            "But {} of {} belong to none of these designs, such as `{}`: {remedy}.",
            percent(others.share),
            keys_read(profile),
            others.first
        )
    })
}

/// Returns the name of the keys that a share refers to, because not all rows of a table may have
/// been read.
fn keys_read(profile: &KeyProfile) -> &'static str {
    if profile.sample.is_complete {
        "the keys that were read"
    } else {
        "the sampled keys"
    }
}

/// Returns the number of tablets for a recipe: at most as many as its design has salts.
fn wanted(recipe: &ExistingRecipe, settings: &AdviceSettings) -> u32 {
    let mut wanted = settings.for_one_recipe();
    let design = KeyDesign::new(recipe.settings.clone());
    while wanted > 1
        && design
            .as_ref()
            .is_ok_and(|design| is_too_many(design, wanted))
    {
        wanted /= 2;
    }
    wanted
}

fn is_too_many(design: &KeyDesign, tablets: u32) -> bool {
    design.splits(1).is_ok() && design.splits(tablets).is_err()
}

fn advised(
    recipe: &ExistingRecipe,
    forecast: &DesignForecast,
    settings: &AdviceSettings,
) -> AdvisedDesign {
    let of_table = recipe.layout.clone().filter(|_| !settings.is_for_others());
    let unsplit = || {
        let is_one = is_of_table(recipe, settings);
        is_one.then(|| AdvisedLayout::SplitPoints(Vec::new()))
    };
    AdvisedDesign {
        layout: of_table
            .or_else(unsplit)
            .unwrap_or_else(|| AdvisedLayout::of(forecast)),
        settings: recipe.settings.clone(),
        before: recipe.before.clone(),
    }
}

fn candidate(recipe: &ExistingRecipe, settings: &AdviceSettings) -> Candidate {
    let label = recipe.label.clone();
    let design = recipe.settings.clone();
    let of_table = recipe.layout.as_ref().filter(|_| !settings.is_for_others());
    match of_table {
        None if is_of_table(recipe, settings) => Candidate::at(label, design, &[]),
        None => Candidate::new(label, design, wanted(recipe, settings)),
        Some(AdvisedLayout::Tablets(tablets)) => Candidate::new(label, design, *tablets),
        // No row of a hasher sorts after the last split point of its tablets.
        Some(AdvisedLayout::SplitPoints(_)) => match recipe.points() {
            [own @ .., end] if end.ends_with(b":~") => Candidate::at(label, design, own),
            all => Candidate::at(label, design, all),
        },
    }
}

/// Returns the rows of all recipes, without their salts.
fn all_rows(profile: &KeyProfile, existing: &Existing) -> KeyProfile {
    if let [rows] = existing.rows.as_slice() {
        return rows.clone();
    }
    let mut builder = ProfileBuilder::new(ProfileSettings {
        seed: profile.sample.seed,
        arrivals: profile.order.arrivals,
    });
    let rows = existing.rows.iter().flat_map(|rows| &rows.sample.keys);
    rows.for_each(|sampled| builder.push(&sampled.key));
    let mut rows = builder.finish();
    rows.sample.is_complete = profile.sample.is_complete;
    rows
}

fn tablets_of(forecast: &DesignForecast) -> u64 {
    match forecast.possible() {
        Some((load, _)) => count(load.tablets()),
        None => forecast.candidate.tablets.into(),
    }
}

/// Returns the number of tablets of all recipes together, with its reason.
fn tablets(
    recipes: &[ExistingRecipe],
    forecasts: &[DesignForecast],
    settings: &AdviceSettings,
) -> TabletAdvice {
    let all: u64 = forecasts.iter().map(tablets_of).sum();
    let is_of_table = recipes.iter().all(|recipe| is_of_table(recipe, settings));
    let reason = if is_of_table {
        format!("{}, as the table has for them.", plural(all, "tablet"))
    } else {
        let each = if recipes.len() == 1 {
            ""
        } else {
            "For each recipe "
        };
        format!("{each}{}", settings.checked_tablets().reason)
    };
    TabletAdvice {
        tablets: u32::try_from(all).unwrap_or(u32::MAX),
        reason,
    }
}

/// Returns the names of the recipes, each with its tablets.
fn names_in_tablets(recipes: &[ExistingRecipe], forecasts: &[DesignForecast]) -> String {
    let names = recipes.iter().zip(forecasts).map(|(recipe, forecast)| {
        let tablets = plural(tablets_of(forecast), "tablet");
        format!("{} in {tablets}", name(&recipe.settings))
    });
    listed(&names.collect::<Vec<_>>())
}

/// Checks whether the advice for a recipe is to keep its tablets in the table. An unsplit table has
/// no tablets of a row hasher, because the last of them ends with the hasher's prefix.
fn is_of_table(recipe: &ExistingRecipe, settings: &AdviceSettings) -> bool {
    let is_unsplit = settings
        .table
        .as_ref()
        .is_some_and(|table| table.splits.is_empty());
    let is_hasher = matches!(recipe.settings, DesignSettings::RowHasher(_));
    let is_there = recipe.is_split() || (is_unsplit && !is_hasher);
    is_there && !settings.is_for_others()
}

/// Returns the sentences about a recipe.
fn about(recipe: &ExistingRecipe) -> Vec<String> {
    let mut all = Vec::new();
    let label = &recipe.label;
    if recipe.in_earlier_designs > 0 {
        let before: Vec<_> = recipe.before.iter().map(name).collect();
        let are = if recipe.in_earlier_designs == 1 {
            "is"
        } else {
            "are"
        };
        all.push(format!(
            "{} of {label} {are} in an earlier design, {}.",
            plural(recipe.in_earlier_designs, "key"),
            listed(&before)
        ));
    }
    if recipe.other_splits > 0 {
        all.push(format!(
            "The table has {} among those of {label} that the design does not ask for; a plan keeps them.",
            plural(count(recipe.other_splits), "other split point")
        ));
    }
    if let Some(AdvisedLayout::SplitPoints(points)) = &recipe.layout
        && can_be_split_evenly(&recipe.settings)
    {
        all.push(format!(
            "The {} of {label} make no even tablets, so the spec lists them as they are.",
            plural(count(points.len()), "split point")
        ));
    }
    all
}

fn can_be_split_evenly(settings: &DesignSettings) -> bool {
    let design = KeyDesign::new(settings.clone());
    design.is_ok_and(|design| design.splits(2).is_ok())
}

/// Returns the findings about the designs that keys already have.
pub(super) fn of_existing(profile: &KeyProfile, existing: &Existing) -> Vec<keys::Finding> {
    let of_sample = if profile.sample.is_complete {
        ""
    } else {
        " of the sample"
    };
    let recipes = &existing.recipes;
    let mut all: Vec<_> = recipes
        .iter()
        .map(|recipe| {
            let by = if recipe.keys > 0 {
                "as their salts show"
            } else {
                "for which the table is split"
            };
            keys::note(format!(
                "{}{of_sample} ({}) are keys of {}, {by}.",
                plural(recipe.keys, "key"),
                percent(recipe.share),
                name(&recipe.settings)
            ))
        })
        .collect();
    if let Some(others) = existing.others.as_ref().filter(|_| !recipes.is_empty()) {
        let (belong, them) = match others.keys {
            1 => ("belongs", "it"),
            _ => ("belong", "them"),
        };
        all.push(keys::warning(format!(
            "{}{of_sample} ({}) {belong} to none of these designs, the first is `{}`: loaded without the design, or rows of \
             another kind. Readers that use the design do not find {them}; write {them} through it.",
            plural(others.keys, "key"),
            percent(others.share),
            others.first
        )));
    }
    all.extend(existing.apart.iter().map(|(settings, keys)| {
        let share = percent(crate::number::share(*keys, profile.sample.len));
        let beside = if recipes.is_empty() {
            ""
        } else {
            "; no spec can contain it together with the others"
        };
        keys::warning(format!(
            "{}{of_sample} ({share}) are keys of {} already{beside}.",
            plural(*keys, "key"),
            name(settings)
        ))
    }));
    all
}

/// Joins names for a sentence.
fn listed(names: &[String]) -> String {
    match names {
        [one, last] => format!("{one} and {last}"),
        [before @ .., last] if !before.is_empty() => {
            format!("{}, and {last}", before.join(", "))
        }
        _ => names.join(", "),
    }
}
