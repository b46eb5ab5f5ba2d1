//! Plans: the differences between the optimizations and a live table.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Not;

use fluo_table::balancer::GroupPattern;
use fluo_table::table::property::{BALANCER, GROUP_PATTERN};
use fluo_table::{Bytes, Result, TableAdmin};
use serde::{Deserialize, Serialize};

use super::balancer::{PropertyChange, no_group_balancer, pattern_in_force, requested_properties};
use super::forecast::forecast;
use super::step::{TableState, runs};
use super::{GroupForecast, Step, TableOptimizations};

mod row_text;
mod saved;

/// Maximum number of steps that remove split points. Each of them removes more if necessary.
const MAX_REMOVALS: usize = 100;

/// The changes to make on a table: the state that was found there, the requested state, and the
/// difference.
///
/// A plan can be saved and applied later. It contains the state that was found, so that
/// [`apply`](Self::apply) can reject a table that has changed since. `apply` also rejects a
/// plan whose fields were changed inconsistently. In the saved form (JSON), rows are text, escaped
/// by [`Escaped`](fluo_table::Escaped).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    format: u32,
    /// The table.
    pub table: String,
    /// The split points that the table has now, ascending.
    #[serde(with = "row_text")]
    pub found_splits: Vec<Bytes>,
    found_properties: BTreeMap<String, String>,
    /// The split points that are missing, ascending.
    #[serde(rename = "add_splits", with = "row_text")]
    pub splits_to_add: Vec<Bytes>,
    /// The split points to remove, ascending: those of no recipe, if the plan prunes.
    #[serde(rename = "remove_splits", with = "row_text")]
    pub splits_to_remove: Vec<Bytes>,
    /// The split points of no recipe that exist, pruned or not.
    #[serde(with = "row_text")]
    pub unrequested_splits: Vec<Bytes>,
    properties: Vec<PropertyChange>,
    /// `true` if no recipe has a group. Then the plan sets no property of the balancer, and all
    /// tablets are spread as one group, which every balancer does.
    #[serde(rename = "without_groups", default, skip_serializing_if = "Not::not")]
    pub is_without_groups: bool,
    /// The names of the properties that earlier groups left, pruned or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unrequested_properties: Vec<String>,
    /// The number of servers that can host the tablets.
    pub servers: usize,
    /// The groups as the balancer will see them, in the order of the table.
    pub groups: Vec<GroupForecast>,
}

/// A call of [`TableOptimizations::plan`]: its options, and the call itself when it is awaited.
#[derive(Clone, Debug)]
#[must_use = "a plan is made when this is awaited"]
pub struct Planning<'a> {
    optimizations: &'a TableOptimizations,
    tables: &'a dyn TableAdmin,
    table: &'a str,
    prune: bool,
}

impl TableOptimizations {
    /// Compares the optimizations with a live table, and returns the steps that would bring them to
    /// it. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the table does not exist;
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the optimizations ask for nothing;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if the servers load no group balancer;
    /// and the errors of the port.
    pub fn plan<'a>(&'a self, tables: &'a dyn TableAdmin, table: &'a str) -> Planning<'a> {
        Planning { optimizations: self, tables, table, prune: false }
    }
}

impl Planning<'_> {
    /// Sets whether the plan removes split points that no recipe asks for and, if no recipe has a
    /// group, the properties that earlier groups have left. Default: no.
    pub fn prune(self, prune: bool) -> Self {
        Self { prune, ..self }
    }

    async fn run(self) -> Result<Plan> {
        let Self { optimizations, tables, table, prune } = self;
        let found = TableState::read(tables, table).await?;
        let mut properties =
            requested_properties(tables, table, optimizations, &found.properties).await?;
        if properties.iter().any(|change| !change.removed && change.after.is_none()) {
            return Err(no_group_balancer(table));
        }
        let left = properties.iter().filter(|change| change.removed);
        let unrequested_properties = left.map(|change| change.name.clone()).collect();
        let is_due = |change: &PropertyChange| {
            if change.removed { prune } else { change.before != change.after }
        };
        properties.retain(is_due);
        let servers = tables.servers().await?.len();
        let wanted = optimizations.splits();
        let unrequested_splits: Vec<_> = found.splits.difference(&wanted).cloned().collect();
        let mut plan = Plan {
            format: Plan::FORMAT,
            table: table.to_owned(),
            splits_to_add: wanted.difference(&found.splits).cloned().collect(),
            splits_to_remove: if prune { unrequested_splits.clone() } else { Vec::new() },
            unrequested_splits,
            properties,
            found_splits: found.splits.into_iter().collect(),
            found_properties: found.properties,
            is_without_groups: optimizations.group_pattern().is_none(),
            unrequested_properties,
            servers,
            groups: Vec::new(),
        };
        plan.groups = forecast(plan.group_pattern(), plan.staying_splits().into_iter(), servers)?;
        Ok(plan)
    }
}

call_when_awaited!(Planning => Result<Plan>);

impl Plan {
    /// The version of the saved form that this build writes and reads.
    pub const FORMAT: u32 = 1;

    fn staying_splits(&self) -> BTreeSet<&Bytes> {
        let is_going = |split: &&Bytes| self.splits_to_remove.binary_search(split).is_ok();
        let all = self.found_splits.iter().chain(&self.splits_to_add);
        all.filter(|split| !is_going(split)).collect()
    }

    /// Returns `true` if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.splits_to_add.is_empty()
            && self.splits_to_remove.is_empty()
            && self.properties.is_empty()
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
        if !self.is_without_groups {
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

    /// Returns the steps in an order that is safe to interrupt.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if !self.splits_to_add.is_empty() {
            steps.push(Step::AddSplits(self.splits_to_add.iter().cloned().collect()));
        }
        steps.extend(self.properties.iter().cloned().map(Step::from));
        let going = self.splits_to_remove.iter().collect();
        let runs = runs(&going, &self.staying_splits());
        // All split points are read for each step.
        let together = runs.len().div_ceil(MAX_REMOVALS).max(1);
        steps.extend(runs.chunks(together).map(|runs| {
            Step::RemoveSplits(runs.iter().flat_map(|(_, splits)| splits).cloned().collect())
        }));
        steps
    }
}
