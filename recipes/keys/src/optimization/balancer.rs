//! The balancer of a table, and the properties that put it in force.

use std::collections::BTreeMap;
use std::ops::Not;

use fluo_table::balancer::{BalancerClass, group_balancers};
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_table::{Error, Result, TableAdmin};
use serde::{Deserialize, Serialize};

use super::TableOptimizations;

/// The group of tablets that belong to no recipe.
pub(super) const DEFAULT_GROUP: &str = "none";

/// The properties of the balancer, in the order in which they are safe to set: its class comes
/// after the properties that it reads. The reverse order is safe to remove them.
pub(super) const PROPERTIES: [&str; 3] = [GROUP_PATTERN, GROUP_DEFAULT, BALANCER];

/// A property with its existing and its requested value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PropertyChange {
    pub(super) name: String,
    pub(super) before: Option<String>,
    /// The value in force after the change. `None` if the property is removed and nothing is
    /// inherited, or if the servers load no group balancer.
    pub(super) after: Option<String>,
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(super) removed: bool,
}

pub(super) fn value_text(value: Option<&String>) -> String {
    value.map_or_else(|| "not set".to_owned(), |value| format!("`{value}`"))
}

/// Returns the properties that the optimizations set, in a safe order. If no recipe has a group,
/// returns those that earlier recipes with groups left.
pub(super) async fn requested_properties(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    found: &BTreeMap<String, String>,
) -> Result<Vec<PropertyChange>> {
    if optimizations.requirements().is_empty() {
        return Err(Error::invalid("the optimizations are empty; name at least one recipe"));
    }
    let Some(pattern) = optimizations.group_pattern() else {
        return left_properties(admin, table, found).await;
    };
    let class = group_balancer(admin, table).await?;
    let values = [Some(pattern), Some(DEFAULT_GROUP.to_owned()), class];
    let change = |(name, after): (&str, _)| PropertyChange {
        name: name.to_owned(),
        before: found.get(name).cloned(),
        after,
        removed: false,
    };
    Ok(PROPERTIES.into_iter().zip(values).map(change).collect())
}

/// Returns the properties that recipes with groups left. Returns none if the table has an unknown
/// balancer, which may read these properties.
async fn left_properties(
    admin: &dyn TableAdmin,
    table: &str,
    found: &BTreeMap<String, String>,
) -> Result<Vec<PropertyChange>> {
    let class = found.get(BALANCER).map(|class| BalancerClass::from_name(class));
    if class == Some(BalancerClass::Unknown) {
        return Ok(Vec::new());
    }
    let inherited = admin.inherited_properties(table).await?;
    let left = |name: &str| {
        let (before, after) = (found.get(name), inherited.get(name));
        let is_left = name != BALANCER || class == Some(BalancerClass::ByGroup);
        (is_left && before.is_some() && before != after).then(|| PropertyChange {
            name: name.to_owned(),
            before: before.cloned(),
            after: after.cloned(),
            removed: true,
        })
    };
    Ok(PROPERTIES.into_iter().rev().filter_map(left).collect())
}

/// Returns the pattern that the balancer uses, if it uses one.
pub(super) fn pattern_in_force<'a>(
    class: Option<&str>,
    pattern: Option<&'a str>,
) -> Option<&'a str> {
    let class = BalancerClass::from_name(class?);
    pattern.filter(|_| class == BalancerClass::ByGroup)
}

/// Returns the class of the group balancer in the package that the servers have, if any. Nothing
/// checks the property: with a class that the servers do not have, tablets stay offline.
async fn group_balancer(admin: &dyn TableAdmin, table: &str) -> Result<Option<String>> {
    for (_, class) in group_balancers() {
        if is_loaded(admin, table, &class).await? {
            return Ok(Some(class));
        }
    }
    Ok(None)
}

pub(super) fn no_group_balancer(table: &str) -> Error {
    let probes: Vec<_> = group_balancers().map(|(probe, _)| probe).collect();
    let probes = probes.join(" and ");
    Error::unavailable(format!(
        "the servers of table `{table}` load no group balancer; they were asked for {probes}"
    ))
}

/// Checks whether the servers load a class and can create it without arguments. The group balancer
/// itself cannot be probed, but another class of its package can: see [`group_balancers`].
pub(super) async fn is_loaded(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<bool> {
    let neighbor = group_balancers().find(|(_, group_balancer)| group_balancer == class);
    let probe = neighbor.map_or_else(|| class.to_owned(), |(probe, _)| probe);
    admin.can_load(table, &probe, "java.lang.Object").await
}
