//! The comparison of the balancer and its properties.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::balancer::{GroupPattern, PatternError};
use fluo_table::table::property::{BALANCER, GROUP_PATTERN};
use fluo_table::{Result, TableAdmin, Tablets};
use serde::Serialize;

use super::super::TableOptimizations;
use super::super::balancer::{is_loaded, pattern_in_force, requested_properties};
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

pub(super) type Properties = (Vec<PropertyVerdict>, Vec<Difference>);

/// Finds the group balancer of the servers, and compares the properties. Without groups, finds the
/// properties that earlier groups left.
pub(super) async fn compare(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    found: &BTreeMap<String, String>,
    tablets: &Tablets,
) -> Result<Properties> {
    let requested = requested_properties(admin, table, optimizations, found).await?;
    let value = |name: &str| found.get(name).map(String::as_str);
    let earlier = pattern_in_force(value(BALANCER), value(GROUP_PATTERN));
    let earlier = earlier.filter(|pattern| has_effect(pattern, tablets));
    let properties = requested.into_iter().map(|change| PropertyVerdict {
        is_as_expected: if change.removed {
            change.name != GROUP_PATTERN || earlier.is_none()
        } else {
            change.after.is_some() && change.before == change.after
        },
        name: change.name,
        expected: change.after,
        found: change.before,
    });
    let properties: Vec<_> = properties.collect();
    let wrong = || properties.iter().filter(|property| !property.is_as_expected);
    let mut differences = Vec::new();
    if let Some(balancer) = wrong().find(|property| property.name == BALANCER) {
        if balancer.expected.is_none() {
            differences.push(Difference::NoGroupBalancer);
        }
        if let Some(class) = balancer.found.clone()
            && !is_loaded(admin, table, &class).await?
        {
            differences.push(Difference::BalancerNotLoaded { class });
        }
    }
    let has_groups = optimizations.group_pattern().is_some();
    differences.extend(wrong().cloned().filter_map(|property| {
        let PropertyVerdict { name, expected, found, .. } = property;
        Some(if has_groups {
            Difference::Property { name, found, expected: expected? }
        } else {
            Difference::EarlierGroups { pattern: found? }
        })
    }));
    Ok((properties, differences))
}

/// Checks whether a pattern that the balancer uses puts the tablets into several groups, or cannot
/// be parsed here.
fn has_effect(pattern: &str, tablets: &Tablets) -> bool {
    match GroupPattern::parse(pattern) {
        // The balancer does not use it either.
        Err(PatternError::NotOneGroup { .. }) => false,
        Err(_) => true,
        Ok(pattern) => {
            let end_rows = tablets.as_slice().iter().map(|tablet| tablet.end_row.as_deref());
            pattern.groups_of(end_rows).collect::<BTreeSet<_>>().len() > 1
        }
    }
}
