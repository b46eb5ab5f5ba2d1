//! Advice on keys and tables that already have designs.

use fluo_keys::{DesignSettings, KeyDesign, Unsalted};

use super::Advice;
use super::decision::{Decision, DesignInTablets, Unevenness};
use super::design_reason::DesignReason;
use super::keys;
use super::keys_without_design::KeysWithoutDesign;
use super::load_reason::FullestLoad;
use super::options::AdviceOptions;
use super::reason::AdviceReason;
use super::recipe_tablets::{advised, can_have, candidate, is_of_table, tablets, tablets_of};
use super::report::AdvisorReport;
use super::spec::AdvisedSpec;
use super::verdict::{DesignVerdict, Suitability, Tried};
use crate::existing::{Existing, MOST_KEYS};
use crate::number::count;
use crate::{
    AdvisedLayout, Candidate, DesignForecast, ExistingRecipe, ExistingTable, KeyProfile, OtherKeys,
    ProfileBuilder, ProfileOptions,
};

/// The share of keys without a design that is worth a warning.
const MANY_OTHERS: f64 = 0.01;

/// Returns the candidate of a table of plain rows with its present split points; `None` if the
/// table is not split and its keys do not spread by themselves.
pub(super) fn plain_rows(table: &ExistingTable, existing: &Existing) -> Option<Candidate> {
    let label = "unsalted, as the table is";
    let is_answer = !table.splits.is_empty() || existing.look.is_some();
    is_answer.then(|| Candidate::with_split_points(label, Unsalted {}, &table.splits))
}

/// Advises to keep the recipes of keys or of a table.
pub(super) fn as_it_is(
    profile: KeyProfile,
    existing: &Existing,
    own: Vec<Candidate>,
    options: &AdviceOptions,
) -> AdvisorReport {
    let tried = existing.recipes.iter().zip(&existing.rows);
    let mut forecasts: Vec<_> = tried
        .map(|(recipe, rows)| DesignForecast::new(rows, candidate(recipe, options)))
        .collect();
    let mut verdicts: Vec<_> = forecasts
        .iter()
        .zip(&existing.rows)
        .map(|(forecast, rows)| DesignVerdict::new(rows, forecast, options, Tried::AsItIs))
        .collect();
    let advice = Advice::as_it_is(&profile, existing, &forecasts, &mut verdicts, options);
    if !own.is_empty() {
        let rows = all_rows(&profile, existing);
        let wanted = Tried::In(advice.tablets.tablets);
        for candidate in own {
            let forecast = DesignForecast::new(&rows, candidate);
            verdicts.push(DesignVerdict::new(&rows, &forecast, options, wanted));
            forecasts.push(forecast);
        }
    }
    AdvisorReport {
        profile,
        forecasts,
        advice: Advice { verdicts, ..advice },
    }
}

impl Advice {
    fn as_it_is(
        profile: &KeyProfile,
        existing: &Existing,
        forecasts: &[DesignForecast],
        verdicts: &mut [DesignVerdict],
        options: &AdviceOptions,
    ) -> Self {
        let recipes = &existing.recipes;
        let tablets = tablets(recipes, forecasts, options);
        let decision = decision(profile, existing, forecasts, verdicts, options);
        let is_known = !matches!(decision, Decision::UnknownDesign { .. });
        let mut reasons = vec![AdviceReason::Decision(decision.clone())];
        reasons.extend(is_known.then(|| AdviceReason::Tablets(tablets.reason.clone())));
        reasons.extend(recipes.iter().flat_map(about));
        reasons.extend(few_without_design(profile, existing).map(AdviceReason::FewWithoutDesign));
        for (verdict, recipe) in verdicts.iter_mut().zip(recipes) {
            keep(verdict, recipe);
            let label = (recipes.len() > 1).then(|| verdict.label.clone());
            let of_recipe = verdict.reasons.iter().cloned();
            reasons.extend(of_recipe.map(|reason| AdviceReason::Design {
                label: label.clone(),
                reason,
            }));
        }
        let unknown_groups = existing.unknown_groups.clone();
        let has_spec = is_known && unknown_groups.is_none();
        reasons.extend(unknown_groups.map(AdviceReason::UnknownGroups));
        let labels: Vec<_> = recipes.iter().map(|recipe| recipe.label.as_str()).collect();
        Self {
            decision,
            findings: keys::findings(profile, options, tablets.tablets, existing),
            tablets,
            existing: recipes.clone(),
            others: existing.others.clone(),
            verdicts: Vec::new(),
            design: is_known.then(|| labels.join(", ")),
            reasons,
            spec: has_spec.then(|| spec(recipes, forecasts, options)),
        }
    }
}

/// Recommends a recipe that has no fault.
fn keep(verdict: &mut DesignVerdict, recipe: &ExistingRecipe) {
    if recipe.keys == 0 {
        verdict.reasons = vec![DesignReason::NoKeysFound];
        verdict.against = vec![DesignReason::NoKeysFound];
    }
    if verdict.standing == Suitability::Suitable {
        verdict.standing = Suitability::Recommended;
    }
}

fn spec(
    recipes: &[ExistingRecipe],
    forecasts: &[DesignForecast],
    options: &AdviceOptions,
) -> AdvisedSpec {
    let designs = recipes.iter().zip(forecasts);
    AdvisedSpec {
        key_design: designs
            .map(|(recipe, forecast)| advised(recipe, forecast, options))
            .collect(),
    }
}

/// Returns the decision on keys with designs.
fn decision(
    profile: &KeyProfile,
    existing: &Existing,
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    options: &AdviceOptions,
) -> Decision {
    let recipes = &existing.recipes;
    let designs = recipes
        .iter()
        .zip(forecasts)
        .map(|(recipe, forecast)| DesignInTablets {
            settings: recipe.settings.clone(),
            tablets: tablets_of(forecast),
        })
        .collect();
    if let Some(others) = existing
        .others
        .as_ref()
        .filter(|others| others.share > MOST_KEYS)
    {
        let keys = KeysWithoutDesign::new(others, profile);
        return match others.look.clone() {
            Some(look) => Decision::UnknownDesign {
                look,
                keys: Some(keys),
            },
            None => Decision::MostlyPlain { designs, keys },
        };
    }
    match recipes.iter().map(|recipe| recipe.in_earlier_designs).sum() {
        0 => Decision::HasDesign {
            designs,
            is_split: recipes.iter().all(|recipe| is_of_table(recipe, options)),
            uneven: unevenness(recipes, forecasts, verdicts, options),
        },
        keys => Decision::MigrationUnderWay { designs, keys },
    }
}

/// Returns the reason why servers are used unevenly, if they are.
fn unevenness(
    recipes: &[ExistingRecipe],
    forecasts: &[DesignForecast],
    verdicts: &[DesignVerdict],
    options: &AdviceOptions,
) -> Option<Unevenness> {
    let uneven = verdicts
        .iter()
        .filter_map(|verdict| Some((verdict, verdict.fullest_if_uneven()?)));
    let over_mean = |fullest: &FullestLoad| fullest.over_mean.value;
    let fullest = uneven.max_by(|(_, a), (_, b)| over_mean(a).total_cmp(&over_mean(b)));
    if let Some((verdict, fullest)) = fullest {
        return Some(Unevenness::FullTablet {
            recipe: (recipes.len() > 1).then(|| verdict.label.clone()),
            over_mean: over_mean(fullest),
        });
    }
    let tablets: u64 = forecasts.iter().map(tablets_of).sum();
    let servers = options.servers;
    (tablets < u64::from(servers)).then(|| Unevenness::FewTablets {
        tablets,
        servers,
        can_have_more: recipes.iter().any(|recipe| can_have(recipe, servers)),
    })
}

/// Returns the keys without a design, if they are neither the most nor very few.
fn few_without_design(profile: &KeyProfile, existing: &Existing) -> Option<KeysWithoutDesign> {
    let is_few = |others: &&OtherKeys| (MANY_OTHERS..=MOST_KEYS).contains(&others.share);
    let others = existing.others.as_ref().filter(is_few)?;
    Some(KeysWithoutDesign::new(others, profile))
}

/// Returns the rows of all recipes, without their salts.
fn all_rows(profile: &KeyProfile, existing: &Existing) -> KeyProfile {
    if let [rows] = existing.rows.as_slice() {
        return rows.clone();
    }
    let mut builder = ProfileBuilder::new(
        ProfileOptions::new()
            .seed(profile.sample.seed)
            .arrivals(profile.order.arrivals),
    );
    let rows = existing.rows.iter().flat_map(|rows| &rows.sample.keys);
    rows.for_each(|sampled| builder.push(&sampled.key));
    let mut rows = builder.finish();
    rows.sample.is_complete = profile.sample.is_complete;
    rows
}

/// Returns the reasons that concern one recipe.
fn about(recipe: &ExistingRecipe) -> Vec<AdviceReason> {
    let mut all = Vec::new();
    let label = || recipe.label.clone();
    if recipe.in_earlier_designs > 0 {
        all.push(AdviceReason::EarlierDesigns {
            label: label(),
            keys: recipe.in_earlier_designs,
            designs: recipe.before.clone(),
        });
    }
    if recipe.other_splits > 0 {
        all.push(AdviceReason::OtherSplitPoints {
            label: label(),
            points: count(recipe.other_splits),
        });
    }
    if let Some(AdvisedLayout::SplitPoints(points)) = &recipe.layout
        && can_be_split_evenly(&recipe.settings)
    {
        all.push(AdviceReason::UnevenSplitPoints {
            label: label(),
            points: count(points.len()),
        });
    }
    all
}

fn can_be_split_evenly(settings: &DesignSettings) -> bool {
    let design = KeyDesign::new(settings.clone());
    design.is_ok_and(|design| design.splits(2).is_ok())
}
