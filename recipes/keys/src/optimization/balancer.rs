//! The balancer of a table, and the properties that put it in force.

use std::collections::BTreeMap;

use fluo_table::balancer::{BalancerClass, group_balancers};
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_table::{Error, ErrorKind, Result, TableAdmin};

use super::TableOptimizations;

/// The group of tablets that belong to no recipe.
pub(super) const DEFAULT_GROUP: &str = "none";

/// Returns the properties of the optimizations, in the order in which they are safe to set: the
/// class of the balancer comes after the properties that it reads. Empty if no recipe has a group.
pub(super) async fn wanted_properties(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
) -> Result<Vec<(&'static str, String)>> {
    let Some(pattern) = pattern_of(optimizations)? else {
        return Ok(Vec::new());
    };
    let Some(class) = group_balancer(admin, table).await? else {
        let probes = probes().join(" and ");
        let message = format!(
            "the servers of table `{table}` load no group balancer; they were asked for {probes}"
        );
        return Err(Error::new(ErrorKind::Unavailable, message));
    };
    Ok(vec![(GROUP_PATTERN, pattern), (GROUP_DEFAULT, DEFAULT_GROUP.to_owned()), (BALANCER, class)])
}

/// The properties that [`wanted_properties`] can return.
pub(super) const PROPERTIES: [&str; 3] = [GROUP_PATTERN, GROUP_DEFAULT, BALANCER];

/// Returns the pattern of optimizations that are not empty, or `None` if no recipe has a group.
pub(super) fn pattern_of(optimizations: &TableOptimizations) -> Result<Option<String>> {
    if optimizations.requirements().is_empty() {
        return Err(Error::invalid("the optimizations are empty; name at least one recipe"));
    }
    Ok(optimizations.group_pattern())
}

/// A property of the table that puts its tablets into groups, or once did, although no recipe has a
/// group.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unrequested {
    pub(super) name: &'static str,
    pub(super) value: String,
    /// The value that is in force without it.
    pub(super) inherited: Option<String>,
}

/// Returns the properties that recipes with groups left, in the order in which they are safe to
/// remove: the class of the balancer before the properties that it reads. Empty if the table has an
/// unknown balancer, which may read these properties.
pub(super) async fn unrequested_properties(
    admin: &dyn TableAdmin,
    table: &str,
    found: &BTreeMap<String, String>,
) -> Result<Vec<Unrequested>> {
    let class = found.get(BALANCER).map(|class| BalancerClass::from_name(class));
    if class == Some(BalancerClass::Unknown) {
        return Ok(Vec::new());
    }
    let inherited = admin.inherited_properties(table).await?;
    let is_left = |name: &str| match name {
        BALANCER => class == Some(BalancerClass::ByGroup),
        _ => true,
    };
    let unrequested = |name: &'static str| {
        let (value, inherited) = (found.get(name)?, inherited.get(name));
        (is_left(name) && Some(value) != inherited).then(|| Unrequested {
            name,
            value: value.clone(),
            inherited: inherited.cloned(),
        })
    };
    Ok(PROPERTIES.into_iter().rev().filter_map(unrequested).collect())
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
pub(super) async fn group_balancer(admin: &dyn TableAdmin, table: &str) -> Result<Option<String>> {
    for (probe, class) in group_balancers() {
        if loads(admin, table, &probe).await? {
            return Ok(Some(class));
        }
    }
    Ok(None)
}

/// Checks that the servers load a group balancer that is about to be set: they may have changed
/// since the plan was made.
pub(super) async fn check_loaded(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<()> {
    let planned = group_balancers().find(|(_, group_balancer)| group_balancer == class);
    let Some((probe, _)) = planned else {
        return Ok(());
    };
    if loads(admin, table, &probe).await? {
        return Ok(());
    }
    let message = format!("the servers of table `{table}` cannot load `{class}`; make a new plan");
    Err(Error::new(ErrorKind::Unavailable, message))
}

/// Checks whether the servers load a class and can create it without arguments.
pub(super) async fn loads(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<bool> {
    admin.can_load(table, class, "java.lang.Object").await
}

/// Returns the classes that are probed on the servers to find their group balancer.
pub(super) fn probes() -> Vec<String> {
    group_balancers().map(|(probe, _)| probe).collect()
}
