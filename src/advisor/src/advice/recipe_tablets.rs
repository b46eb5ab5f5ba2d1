//! The tablets of recipes that keys already have.

use fluo_keys::{DesignSettings, KeyDesign};

use super::options::AdviceOptions;
use super::spec::AdvisedDesign;
use super::tablets::{TabletAdvice, TabletReason};
use crate::number::count;
use crate::{AdvisedLayout, Candidate, DesignForecast, ExistingRecipe};

/// Returns the number of tablets for a recipe: at most as many as its design has salts.
fn wanted(recipe: &ExistingRecipe, options: &AdviceOptions) -> u32 {
    let mut wanted = options.for_one_recipe();
    while wanted > 1 && !can_have(recipe, wanted) {
        wanted /= 2;
    }
    wanted
}

/// Checks whether a recipe can have this many tablets. Without even split points it can have any
/// number.
pub(super) fn can_have(recipe: &ExistingRecipe, tablets: u32) -> bool {
    let design = KeyDesign::new(recipe.settings.clone());
    design.is_ok_and(|design| design.splits(tablets).is_ok() || design.splits(1).is_err())
}

pub(super) fn advised(
    recipe: &ExistingRecipe,
    forecast: &DesignForecast,
    options: &AdviceOptions,
) -> AdvisedDesign {
    let of_table = recipe.layout.clone().filter(|_| !options.is_for_others());
    let unsplit = || {
        let is_one = is_of_table(recipe, options);
        is_one.then(|| AdvisedLayout::SplitPoints(Vec::new()))
    };
    AdvisedDesign {
        layout: of_table
            .or_else(unsplit)
            .unwrap_or_else(|| AdvisedLayout::for_forecast(forecast)),
        settings: recipe.settings.clone(),
        before: recipe.before.clone(),
    }
}

pub(super) fn candidate(recipe: &ExistingRecipe, options: &AdviceOptions) -> Candidate {
    let label = recipe.label.clone();
    let design = recipe.settings.clone();
    let of_table = recipe.layout.as_ref().filter(|_| !options.is_for_others());
    match of_table {
        None if is_of_table(recipe, options) => Candidate::with_split_points(label, design, &[]),
        None => Candidate::new(label, design, wanted(recipe, options)),
        Some(AdvisedLayout::Tablets(tablets)) => Candidate::new(label, design, *tablets),
        // No row of a hasher sorts after the last split point of its tablets.
        Some(AdvisedLayout::SplitPoints(_)) => match recipe.points() {
            [own @ .., end] if end.ends_with(b":~") => {
                Candidate::with_split_points(label, design, own)
            }
            all => Candidate::with_split_points(label, design, all),
        },
    }
}

pub(super) fn tablets_of(forecast: &DesignForecast) -> u64 {
    match forecast.possible() {
        Some((load, _)) => count(load.tablets()),
        None => forecast.candidate.tablets.into(),
    }
}

/// Returns the number of tablets of all recipes together, with its reason.
pub(super) fn tablets(
    recipes: &[ExistingRecipe],
    forecasts: &[DesignForecast],
    options: &AdviceOptions,
) -> TabletAdvice {
    let all: u64 = forecasts.iter().map(tablets_of).sum();
    let is_of_table = recipes.iter().all(|recipe| is_of_table(recipe, options));
    let reason = if is_of_table {
        TabletReason::OfRecipes(all)
    } else if recipes.len() == 1 {
        options.checked_tablets().reason
    } else {
        TabletReason::ForEachRecipe(Box::new(options.checked_tablets().reason))
    };
    TabletAdvice {
        tablets: u32::try_from(all).unwrap_or(u32::MAX),
        reason,
    }
}

/// Checks whether the advice for a recipe is to keep its tablets in the table. An unsplit table has
/// no tablets of a row hasher, because the last of them ends with the hasher's prefix.
pub(super) fn is_of_table(recipe: &ExistingRecipe, options: &AdviceOptions) -> bool {
    let is_unsplit = options
        .table
        .as_ref()
        .is_some_and(|table| table.splits.is_empty());
    let is_hasher = matches!(recipe.settings, DesignSettings::RowHasher(_));
    let is_there = recipe.is_split() || (is_unsplit && !is_hasher);
    is_there && !options.is_for_others()
}
