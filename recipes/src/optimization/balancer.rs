//! The balancer that the servers of a table have, and the properties that put it in force.

use std::collections::BTreeMap;

use fluo_core::balancer::{BalancerClass, group_balancers};
use fluo_core::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_core::{Error, ErrorKind, Result, TableAdmin};

use super::TableOptimizations;

/// The group of tablets that belong to no recipe.
pub(super) const DEFAULT_GROUP: &str = "none";

/// The properties of the optimizations, in the order in which they are safe to set: the balancer's class comes
/// last, when what it reads is there. None where no recipe has a group.
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
    Ok(vec![
        (GROUP_PATTERN, pattern),
        (GROUP_DEFAULT, DEFAULT_GROUP.to_owned()),
        (BALANCER, class),
    ])
}

/// The properties that [`wanted_properties`] may speak of.
pub(super) const PROPERTIES: [&str; 3] = [GROUP_PATTERN, GROUP_DEFAULT, BALANCER];

/// The pattern of optimizations that ask for something, if a recipe has a group.
pub(super) fn pattern_of(optimizations: &TableOptimizations) -> Result<Option<String>> {
    if optimizations.contributions().is_empty() {
        return Err(Error::invalid(
            "the optimizations are empty; name at least one recipe",
        ));
    }
    Ok(optimizations.group_pattern())
}

/// A property of the table that puts its tablets into groups, or did so once, though no recipe has one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unrequested {
    pub(super) name: &'static str,
    pub(super) value: String,
    /// What is in force without it.
    pub(super) inherited: Option<String>,
}

/// What was left by recipes that had groups, in the order in which it is safe to remove: the balancer's class comes
/// first, while what it reads is there. A balancer of somebody else's is not ours to judge, nor is what it may read.
pub(super) async fn unrequested_properties(
    admin: &dyn TableAdmin,
    table: &str,
    found: &BTreeMap<String, String>,
) -> Result<Vec<Unrequested>> {
    let class = found.get(BALANCER).map(|class| BalancerClass::of(class));
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
    Ok(PROPERTIES
        .into_iter()
        .rev()
        .filter_map(unrequested)
        .collect())
}

/// The pattern that a balancer goes by, if it goes by one.
pub(super) fn pattern_in_force<'a>(
    class: Option<&str>,
    pattern: Option<&'a str>,
) -> Option<&'a str> {
    let class = BalancerClass::of(class?);
    pattern.filter(|_| class == BalancerClass::ByGroup)
}

/// The group balancer's class in the package that the servers have, if any. A class that they do not have would
/// keep the tablets from coming online, and nobody checks the property.
pub(super) async fn group_balancer(admin: &dyn TableAdmin, table: &str) -> Result<Option<String>> {
    for (probe, class) in group_balancers() {
        if loads(admin, table, &probe).await? {
            return Ok(Some(class));
        }
    }
    Ok(None)
}

/// Fails unless the servers load a group balancer that is about to be set: what they had when it was planned they may
/// have no more.
pub(super) async fn check_loaded(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<()> {
    let planned = group_balancers().find(|(_, group_balancer)| group_balancer == class);
    let Some((probe, _)) = planned else {
        return Ok(());
    };
    if loads(admin, table, &probe).await? {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Unavailable,
        format!(
            "the plan sets property {BALANCER} of table `{table}` to `{class}`, which the servers do not load (they were \
             asked for {probe}); make a new plan"
        ),
    ))
}

/// Whether the servers load a class and can make it without arguments.
pub(super) async fn loads(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<bool> {
    admin.can_load(table, class, "java.lang.Object").await
}

/// The classes that the servers are asked for to find their group balancer.
pub(super) fn probes() -> Vec<String> {
    group_balancers().map(|(probe, _)| probe).collect()
}
