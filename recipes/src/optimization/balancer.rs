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
    let Some(pattern) = optimizations.group_pattern() else {
        return Err(Error::invalid(
            "the optimizations are empty; name at least one recipe",
        ));
    };
    let class = group_balancer(admin, table).await?;
    Ok(vec![
        (GROUP_PATTERN, pattern),
        (GROUP_DEFAULT, DEFAULT_GROUP.to_owned()),
        (BALANCER, class),
    ])
}

/// The properties that [`wanted_properties`] may speak of.
pub(super) const PROPERTIES: [&str; 3] = [GROUP_PATTERN, GROUP_DEFAULT, BALANCER];

/// The group balancer's class in the package that the servers have. A class that they do not have would keep
/// the tablets from coming online, and nobody checks the property.
async fn group_balancer(admin: &dyn TableAdmin, table: &str) -> Result<String> {
    let mut asked = Vec::new();
    for (probe, class) in group_balancers() {
        if admin.can_load(table, &probe, "java.lang.Object").await? {
            return Ok(class);
        }
        asked.push(probe);
    }
    let message = format!(
        "the servers of table `{table}` load no group balancer; they were asked for {}",
        asked.join(" and ")
    );
    Err(Error::new(ErrorKind::Unavailable, message))
}
