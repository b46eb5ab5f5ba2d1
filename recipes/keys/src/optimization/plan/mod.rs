//! Plans: the differences between the optimizations and a live table.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::balancer::GroupPattern;
use fluo_table::table::property::{BALANCER, GROUP_PATTERN};
use fluo_table::{Bytes, Result};
use serde::{Deserialize, Serialize};

use super::balancer::{Unrequested, pattern_in_force};
use super::forecast::forecast;
use super::merging::runs;
use super::table_state::TableState;
use super::{GroupForecast, Step, TableOptimizations, row_text};

mod planning;
mod saved;
mod unchanged;

pub use planning::Planning;

/// The version of the saved form.
const FORMAT: u32 = 1;

/// The changes to make on a table: the state that was found there, the requested state, and the
/// difference.
///
/// A plan can be saved and applied later. It contains the state that was found, so that
/// [`apply`](Self::apply) can reject a table that has changed since. In the saved form (JSON),
/// rows are text, escaped by [`Escaped`](fluo_table::Escaped).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    format: u32,
    table: String,
    #[serde(with = "row_text")]
    found_splits: Vec<Bytes>,
    found_properties: BTreeMap<String, String>,
    #[serde(with = "row_text")]
    add_splits: Vec<Bytes>,
    #[serde(with = "row_text")]
    remove_splits: Vec<Bytes>,
    #[serde(with = "row_text")]
    unrequested_splits: Vec<Bytes>,
    properties: Vec<PropertyChange>,
    /// `true` if no recipe has a group, so that no property of the balancer is set.
    #[serde(default, skip_serializing_if = "is_false")]
    without_groups: bool,
    /// The names of the properties that earlier groups left, pruned or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unrequested_properties: Vec<String>,
    servers: usize,
    groups: Vec<GroupForecast>,
}

/// A property whose value differs from the requested one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PropertyChange {
    name: String,
    before: Option<String>,
    /// The value in force after the change; `None` only if the property is removed and nothing is
    /// inherited.
    after: Option<String>,
    /// `true` if the property is removed, `false` if it is set.
    #[serde(default, skip_serializing_if = "is_false")]
    removed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl PropertyChange {
    fn step(&self) -> Step {
        let (name, before, after) = (self.name.clone(), self.before.clone(), self.after.clone());
        if self.removed {
            return Step::RemoveProperty {
                name,
                before: before.unwrap_or_default(),
                inherited: after,
            };
        }
        Step::SetProperty { name, before, after: after.unwrap_or_default() }
    }
}

impl Plan {
    fn between(
        table: &str,
        found: TableState,
        optimizations: &TableOptimizations,
        wanted: Vec<(&'static str, String)>,
        prune: bool,
    ) -> Self {
        let wanted_splits = optimizations.splits();
        let unrequested: Vec<_> = found.splits.difference(&wanted_splits).cloned().collect();
        let change = |(name, after): (&str, String)| {
            let before = found.properties.get(name).cloned();
            let change = PropertyChange {
                name: name.to_owned(),
                before,
                after: Some(after),
                removed: false,
            };
            (change.before != change.after).then_some(change)
        };
        Self {
            format: FORMAT,
            table: table.to_owned(),
            add_splits: wanted_splits.difference(&found.splits).cloned().collect(),
            remove_splits: if prune { unrequested.clone() } else { Vec::new() },
            unrequested_splits: unrequested,
            properties: wanted.into_iter().filter_map(change).collect(),
            found_splits: found.splits.into_iter().collect(),
            found_properties: found.properties,
            without_groups: false,
            unrequested_properties: Vec::new(),
            servers: 0,
            groups: Vec::new(),
        }
    }

    /// Turns this plan into one of optimizations without a group.
    fn without_groups(mut self, unrequested: Vec<Unrequested>, prune: bool) -> Self {
        self.without_groups = true;
        let names = unrequested.iter().map(|property| property.name.to_owned());
        self.unrequested_properties = names.collect();
        if prune {
            let removed = |property: Unrequested| PropertyChange {
                name: property.name.to_owned(),
                before: Some(property.value),
                after: property.inherited,
                removed: true,
            };
            self.properties = unrequested.into_iter().map(removed).collect();
        }
        self
    }

    fn with_forecast(mut self, servers: usize) -> Result<Self> {
        let pattern = self.group_pattern();
        self.groups = forecast(pattern, self.staying_splits().iter(), servers)?;
        self.servers = servers;
        Ok(self)
    }

    fn staying_splits(&self) -> BTreeSet<Bytes> {
        let is_going = |split: &&Bytes| self.remove_splits.binary_search(split).is_ok();
        let all = self.found_splits.iter().chain(&self.add_splits);
        all.filter(|split| !is_going(split)).cloned().collect()
    }

    /// Returns the table of the plan.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Returns `true` if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.add_splits.is_empty() && self.remove_splits.is_empty() && self.properties.is_empty()
    }

    /// Returns the number of split points that the table has now.
    pub fn found_splits(&self) -> usize {
        self.found_splits.len()
    }

    /// Returns the split points that are missing.
    pub fn splits_to_add(&self) -> &[Bytes] {
        &self.add_splits
    }

    /// Returns the split points to remove: those of no recipe, if the plan prunes.
    pub fn splits_to_remove(&self) -> &[Bytes] {
        &self.remove_splits
    }

    /// Returns the split points of no recipe that exist, pruned or not.
    pub fn unrequested_splits(&self) -> &[Bytes] {
        &self.unrequested_splits
    }

    /// Returns `true` if no recipe has a group. Then the plan sets no property of the balancer, and
    /// all tablets are spread as one group, which every balancer does.
    pub fn is_without_groups(&self) -> bool {
        self.without_groups
    }

    /// Returns the properties of the balancer that earlier groups left, pruned or not, with their
    /// values. Empty if a recipe has a group.
    pub fn unrequested_properties(&self) -> impl Iterator<Item = (&str, &str)> {
        let value = |name: &String| self.found_properties.get_key_value(name);
        let found = self.unrequested_properties.iter().filter_map(value);
        found.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the pattern of the groups after the plan is applied, if there are groups then.
    pub fn group_pattern(&self) -> Option<&str> {
        let pattern = self.value_after(GROUP_PATTERN);
        if !self.without_groups {
            return pattern;
        }
        // Properties of earlier groups stay in force unless the plan removes them. A pattern that
        // cannot be parsed does not prevent a plan without groups.
        pattern_in_force(self.value_after(BALANCER), pattern)
            .filter(|pattern| GroupPattern::parse(pattern).is_ok())
    }

    fn value_after(&self, name: &str) -> Option<&str> {
        let value = match self.properties.iter().find(|change| change.name == name) {
            Some(change) => change.after.as_ref(),
            None => self.found_properties.get(name),
        };
        value.map(String::as_str)
    }

    /// Returns the number of servers that can host the tablets.
    pub fn servers(&self) -> usize {
        self.servers
    }

    /// Returns the groups as the balancer will see them, in the order of the table.
    pub fn groups(&self) -> &[GroupForecast] {
        &self.groups
    }

    /// Returns the steps in an order that is safe to interrupt.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if !self.add_splits.is_empty() {
            steps.push(Step::AddSplits(self.add_splits.iter().cloned().collect()));
        }
        steps.extend(self.properties.iter().map(PropertyChange::step));
        let going: BTreeSet<_> = self.remove_splits.iter().cloned().collect();
        steps.extend(
            runs(&going, &self.staying_splits())
                .into_iter()
                .map(|run| Step::RemoveSplits(run.splits)),
        );
        steps
    }
}
