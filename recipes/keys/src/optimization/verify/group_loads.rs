//! The load of the tablets of each group.

use std::collections::{HashMap, HashSet};

use fluo_table::{Result, Tablet};

use super::super::balancer::DEFAULT_GROUP;
use super::super::forecast::groups_of;
use super::super::requirement::TableRequirement;
use super::by_design::ByDesign;
use super::census::Census;
use super::groups::GroupVerdict;
use super::load::TabletLoad;
use super::look::Look;
use super::scale::Whole;

/// A tablet with its count, and the number of rows that the recipes expect in it.
type Counted<'a> = ((&'a Tablet, u64), f64);

/// Adds to each group the load of its tablets. `names` are the groups of the tablets.
///
/// Each tablet is compared with the number of rows that the recipes of the group expect in it; the
/// tablets of the default group are compared with the mean of the table. Tablets of a group with
/// transient rows are not compared.
pub(super) fn add(
    groups: &mut [GroupVerdict],
    names: &[String],
    look: &Look<'_>,
    census: &Census,
) -> Result<()> {
    let expected = Expected::new(names, look, census)?;
    let mut tablets: HashMap<&str, Vec<Counted<'_>>> = HashMap::new();
    let counts = census.all.iter().zip(&census.included);
    let counted = look.tablets.as_slice().iter().zip(counts);
    let counted = names.iter().zip(counted).zip(&expected.in_tablets);
    for ((name, (tablet, (all, included))), expected) in counted {
        let count = match name == DEFAULT_GROUP {
            true => *included,
            false => *all,
        };
        let own = tablets.entry(name).or_default();
        own.push(((tablet, count), *expected));
    }
    let transient = transient_groups(look)?;
    for group in groups {
        let own = tablets.remove(group.group.as_str()).unwrap_or_default();
        group.load = Some(if group.group == DEFAULT_GROUP {
            let counted = own.iter().map(|(counted, _)| *counted);
            look.judged(look.scale.of_even_tablets(census.whole(look), counted))
        } else {
            let load = expected.load(&group.group, &own, look);
            match transient.contains(&group.group) {
                true => load.not_compared(),
                false => load,
            }
        });
    }
    Ok(())
}

/// Returns the groups of the tablets that transient recipes request.
fn transient_groups(look: &Look<'_>) -> Result<HashSet<String>> {
    let pattern = look.optimizations.group_pattern();
    let requirements = look.optimizations.requirements().iter();
    let splits = requirements
        .filter(|requirement| requirement.is_transient)
        .flat_map(|requirement| requirement.splits.iter());
    let groups = groups_of(pattern.as_deref(), splits.map(|split| Some(split.as_ref())))?;
    Ok(groups.into_iter().collect())
}

/// The number of rows that the recipes expect in each tablet, and in each group.
struct Expected {
    in_tablets: Vec<f64>,
    in_groups: HashMap<String, f64>,
    /// The number of planned tablets of each group.
    planned: HashMap<String, usize>,
}

/// Returns the group of each planned tablet. Those that exist have theirs already: `names` are the
/// groups of all tablets.
fn planned_groups(pattern: Option<&str>, names: &[String], look: &Look<'_>) -> Result<Vec<String>> {
    let tablets = look.tablets.as_slice().iter().zip(names);
    let known: HashMap<_, _> = tablets
        .filter_map(|(tablet, name)| Some((tablet.end_row.as_ref()?, name)))
        .collect();
    let (there, missing): (Vec<_>, Vec<_>) = look
        .optimizations
        .splits()
        .into_iter()
        .partition(|split| known.contains_key(split));
    let there = there.iter().filter_map(|split| known.get(split));
    let missing = missing.iter().map(|split| Some(split.as_ref()));
    let mut groups = groups_of(pattern, missing)?;
    groups.extend(there.map(|name| (*name).clone()));
    Ok(groups)
}

impl Expected {
    fn new(names: &[String], look: &Look<'_>, census: &Census) -> Result<Self> {
        let pattern = look.optimizations.group_pattern();
        let requirements = look.optimizations.requirements();
        let first = |requirement: &'_ TableRequirement| requirement.splits.first().cloned();
        let first: Vec<_> = requirements.iter().map(first).collect();
        let groups = groups_of(pattern.as_deref(), first.iter().map(Option::as_deref))?;
        let mut in_tablets = vec![0.0; look.tablets.as_slice().len()];
        let mut in_groups: HashMap<String, f64> = HashMap::new();
        let recipes = requirements.iter().zip(&census.rows).zip(groups);
        for ((requirement, rows), group) in recipes {
            // A recipe without rows would have them by the same shares.
            let rows = crate::number::float(rows.total.max(1));
            *in_groups.entry(group).or_default() += rows;
            let own = requirement.tablets_in(look.tablets);
            let tablets = look.tablets.as_slice().get(own.clone()).unwrap_or_default();
            let shares = ByDesign::of(requirement).of_tablets(tablets);
            let in_tablets = in_tablets.get_mut(own).unwrap_or_default();
            for (expected, share) in in_tablets.iter_mut().zip(shares) {
                *expected += rows * share;
            }
        }
        let mut planned: HashMap<String, usize> = HashMap::new();
        for group in planned_groups(pattern.as_deref(), names, look)? {
            *planned.entry(group).or_default() += 1;
        }
        Ok(Self {
            in_tablets,
            in_groups,
            planned,
        })
    }

    fn load(&self, group: &str, tablets: &[Counted<'_>], look: &Look<'_>) -> TabletLoad {
        let whole = Whole {
            places: self.planned.get(group).copied().unwrap_or_default(),
            total: tablets.iter().map(|((_, count), _)| count).sum(),
        };
        let all = self.in_groups.get(group).copied().unwrap_or_default();
        let share = |expected: f64| {
            if expected > 0.0 && all > 0.0 {
                (expected / all).min(1.0)
            } else {
                whole.even_share()
            }
        };
        let shares = tablets
            .iter()
            .map(|(counted, expected)| (*counted, share(*expected)));
        look.scale.of_tablets(whole, shares)
    }
}
