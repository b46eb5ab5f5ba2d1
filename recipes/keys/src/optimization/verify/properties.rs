//! The comparison of the balancer and its properties.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::balancer::{GroupPattern, PatternError, group_balancers};
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_table::{Result, TableAdmin, Tablets};
use serde::Serialize;

use super::super::TableOptimizations;
use super::super::balancer::{
    DEFAULT_GROUP, group_balancer, loads, pattern_in_force, pattern_of, unrequested_properties,
};
use super::difference::Difference;

/// A property with its requested and its existing value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PropertyVerdict {
    /// The name.
    pub name: String,
    /// The requested value. `None` for the class of the balancer if the servers load no group
    /// balancer. If no recipe has a group, the inherited value.
    pub expected: Option<String>,
    /// The existing value, if any.
    pub found: Option<String>,
    /// `true` if the property has the requested value, or has no effect.
    pub is_as_expected: bool,
}

/// The properties, and their differences.
type Properties = (Vec<PropertyVerdict>, Vec<Difference>);

/// Finds the group balancer of the servers, and compares the properties. Without groups, finds the
/// properties that earlier groups left.
pub(super) async fn compare(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    found: &BTreeMap<String, String>,
    tablets: &Tablets,
) -> Result<Properties> {
    let Some(pattern) = pattern_of(optimizations)? else {
        return without_groups(admin, table, found, tablets).await;
    };
    let class = group_balancer(admin, table).await?;
    let mut differences = Vec::new();
    if class.is_none() {
        differences.push(Difference::NoGroupBalancer);
    }
    if let Some(other) = found.get(BALANCER)
        && Some(other) != class.as_ref()
        && !is_loaded(admin, table, other).await?
    {
        let class = other.clone();
        differences.push(Difference::BalancerNotLoaded { class });
    }
    let expected = [
        (GROUP_PATTERN, Some(pattern)),
        (GROUP_DEFAULT, Some(DEFAULT_GROUP.to_owned())),
        (BALANCER, class),
    ];
    let properties = expected.map(|(name, expected)| {
        let found = found.get(name).cloned();
        PropertyVerdict {
            name: name.to_owned(),
            is_as_expected: expected.is_some() && found == expected,
            expected,
            found,
        }
    });
    let wrong = properties.iter().filter(|property| !property.is_as_expected);
    differences.extend(wrong.filter_map(|property| {
        Some(Difference::Property {
            name: property.name.clone(),
            found: property.found.clone(),
            expected: property.expected.clone()?,
        })
    }));
    Ok((properties.into(), differences))
}

/// Checks whether the servers load a class. The group balancer itself cannot be probed, but another
/// class of its package can: see [`group_balancers`].
async fn is_loaded(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<bool> {
    let neighbor = group_balancers().find(|(_, group_balancer)| group_balancer == class);
    let probe = neighbor.map_or_else(|| class.to_owned(), |(probe, _)| probe);
    loads(admin, table, &probe).await
}

async fn without_groups(
    admin: &dyn TableAdmin,
    table: &str,
    found: &BTreeMap<String, String>,
    tablets: &Tablets,
) -> Result<Properties> {
    let value = |name: &str| found.get(name).map(String::as_str);
    let pattern = pattern_in_force(value(BALANCER), value(GROUP_PATTERN));
    let pattern = pattern.filter(|pattern| has_effect(pattern, tablets));
    let left = unrequested_properties(admin, table, found).await?;
    let properties = left.into_iter().map(|property| PropertyVerdict {
        name: property.name.to_owned(),
        expected: property.inherited,
        found: Some(property.value),
        is_as_expected: property.name != GROUP_PATTERN || pattern.is_none(),
    });
    let properties: Vec<_> = properties.collect();
    let is_left = properties.iter().any(|property| !property.is_as_expected);
    let pattern = pattern.filter(|_| is_left).map(str::to_owned);
    let difference = pattern.map(|pattern| Difference::EarlierGroups { pattern });
    Ok((properties, difference.into_iter().collect()))
}

/// Checks whether a pattern that the balancer uses puts the tablets into several groups, or cannot
/// be parsed here.
fn has_effect(pattern: &str, tablets: &Tablets) -> bool {
    match GroupPattern::parse(pattern) {
        // The balancer does not use it either.
        Err(PatternError::NotOneGroup { .. }) => false,
        Err(_) => true,
        Ok(pattern) => {
            let tablets = tablets.as_slice().iter();
            let groups: BTreeSet<_> =
                tablets.map(|tablet| pattern.group_of(tablet.end_row.as_deref())).collect();
            groups.len() > 1
        }
    }
}
