//! The balancer that the servers of a table have, and the properties that put it in force.

use fluo_core::balancer::group_balancers;
use fluo_core::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_core::{Error, ErrorKind, Result, TableAdmin};

use super::TableOptimizations;

/// The group of tablets that belong to no recipe.
pub(super) const DEFAULT_GROUP: &str = "none";

/// The properties of the optimizations, in the order in which they are safe to set: the balancer's class comes
/// last, when what it reads is there.
pub(super) async fn wanted_properties(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
) -> Result<Vec<(&'static str, String)>> {
    let pattern = pattern_of(optimizations)?;
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

/// The pattern of optimizations that ask for something.
pub(super) fn pattern_of(optimizations: &TableOptimizations) -> Result<String> {
    optimizations
        .group_pattern()
        .ok_or_else(|| Error::invalid("the optimizations are empty; name at least one recipe"))
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

/// Whether the servers load a class and can make it without arguments.
pub(super) async fn loads(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<bool> {
    admin.can_load(table, class, "java.lang.Object").await
}

/// The classes that the servers are asked for to find their group balancer.
pub(super) fn probes() -> Vec<String> {
    group_balancers().map(|(probe, _)| probe).collect()
}
