//! The comparison of the balancer and its properties.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::balancer::{BalancerClass, GroupPattern, PatternError, group_balancers};
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_table::{Result, TableAdmin, Tablets};
use serde::Serialize;

use super::super::TableOptimizations;
use super::super::balancer::{
    DEFAULT_GROUP, Unrequested, group_balancer, loads, pattern_in_force, pattern_of, probes,
    unrequested_properties,
};
use super::difference::{Difference, DifferenceKind};

/// A property with its requested and its existing value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyVerdict {
    /// The name.
    pub name: String,
    /// The requested value. `None` for the class of the balancer if the servers load no group
    /// balancer.
    pub expected: Option<String>,
    /// The existing value, if any.
    pub found: Option<String>,
    /// The kind of the existing class, if the property is the class of the balancer and not the
    /// requested one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balancer: Option<FoundBalancer>,
    /// The effect of a property that earlier groups left, if no recipe has a group. The expected
    /// value is then the inherited one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrequested: Option<UnrequestedProperty>,
}

/// The effect of a property that earlier groups left on a table where no recipe has a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnrequestedProperty {
    /// No effect: all tablets are spread as one group.
    NoEffect,
    /// It splits the tablets into this number of groups, each of which is spread by itself.
    Groups(usize),
    /// It is a pattern that the balancer uses and that cannot be parsed here.
    Unread,
}

/// The kind of a class that is not the requested balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBalancer {
    /// It spreads tablets by their number and ignores groups.
    ByNumber,
    /// It is the group balancer of another version of Accumulo.
    OtherVersion,
    /// It is a group balancer, or another balancer of Accumulo, of a package that the servers do
    /// not have.
    NotLoaded,
    /// It is an unknown class that the servers load.
    Unknown,
    /// It is an unknown class that the servers do not load, or that they cannot create without
    /// arguments.
    UnknownNotLoaded,
}

/// Finds the group balancer of the servers, and compares the properties. Without groups, finds the
/// properties that earlier groups left.
pub(super) async fn read(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    found: &BTreeMap<String, String>,
    tablets: &Tablets,
) -> Result<Vec<PropertyVerdict>> {
    let Some(pattern) = pattern_of(optimizations)? else {
        let left = unrequested_properties(admin, table, found).await?;
        let verdict = |property| PropertyVerdict::of_unrequested(property, found, tablets);
        return Ok(left.into_iter().map(verdict).collect());
    };
    let verdict = |name: &str, expected: Option<String>| PropertyVerdict {
        name: name.to_owned(),
        expected,
        found: found.get(name).cloned(),
        balancer: None,
        unrequested: None,
    };
    let pattern = verdict(GROUP_PATTERN, Some(pattern));
    let default = verdict(GROUP_DEFAULT, Some(DEFAULT_GROUP.to_owned()));
    let mut balancer = verdict(BALANCER, group_balancer(admin, table).await?);
    if let (false, Some(class)) = (balancer.is_as_expected(), &balancer.found) {
        balancer.balancer = Some(FoundBalancer::ask(admin, table, class).await?);
    }
    Ok(vec![pattern, default, balancer])
}

impl FoundBalancer {
    async fn ask(admin: &dyn TableAdmin, table: &str, class: &str) -> Result<Self> {
        let kind = BalancerClass::from_name(class);
        // The group balancer itself cannot be probed, but another class of its package can: see
        // `group_balancers`.
        let neighbour = group_balancers().find(|(_, group_balancer)| group_balancer == class);
        let asked = neighbour.map_or_else(|| class.to_owned(), |(probe, _)| probe);
        Ok(match (kind, loads(admin, table, &asked).await?) {
            (BalancerClass::ByGroup, true) => Self::OtherVersion,
            (BalancerClass::ByCount, true) => Self::ByNumber,
            (BalancerClass::ByGroup | BalancerClass::ByCount, false) => Self::NotLoaded,
            (BalancerClass::Unknown, true) => Self::Unknown,
            (BalancerClass::Unknown, false) => Self::UnknownNotLoaded,
        })
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::ByNumber => "which ignores groups",
            Self::OtherVersion => "the group balancer of another version of Accumulo",
            Self::NotLoaded => {
                "which the servers do not load, so that tablets may stay on no server"
            }
            Self::Unknown => "an unknown class",
            Self::UnknownNotLoaded => {
                "an unknown class that the servers do not load, so that tablets may stay on no server"
            }
        }
    }
}

impl PropertyVerdict {
    fn of_unrequested(
        property: Unrequested,
        found: &BTreeMap<String, String>,
        tablets: &Tablets,
    ) -> Self {
        let value = |name: &str| found.get(name).map(String::as_str);
        let pattern = pattern_in_force(value(BALANCER), value(GROUP_PATTERN));
        let effect = match pattern {
            Some(pattern) if property.name == GROUP_PATTERN => effect_of(pattern, tablets),
            _ => UnrequestedProperty::NoEffect,
        };
        Self {
            name: property.name.to_owned(),
            expected: property.inherited,
            found: Some(property.value),
            balancer: None,
            unrequested: Some(effect),
        }
    }

    /// Returns `true` if the property has the requested value, or has no effect.
    pub fn is_as_expected(&self) -> bool {
        match self.unrequested {
            None => self.expected.is_some() && self.found == self.expected,
            Some(effect) => effect == UnrequestedProperty::NoEffect,
        }
    }

    /// Returns the difference; `displaced` is the share of the tablets on a wrong server. A wrong
    /// property explains these tablets, and weighs something by itself.
    pub(super) fn finding(&self, displaced: f64) -> Option<Difference> {
        let sentence = self.difference()?;
        Some(Difference::new(
            DifferenceKind::Property,
            &self.name,
            0.5 + displaced / 2.0,
            sentence,
        ))
    }

    fn difference(&self) -> Option<String> {
        let Self { name, balancer, .. } = self;
        if self.is_as_expected() {
            return None;
        }
        let found = match &self.found {
            Some(found) => format!("property {name} is `{found}`"),
            None => format!("property {name} is not set"),
        };
        if let Some(effect) = self.unrequested {
            return Some(format!(
                "{found}, which no recipe asked for and {}; a plan that prunes removes it",
                effect.sentence()
            ));
        }
        let about = balancer.map_or(String::new(), |balancer| {
            format!(", {}", balancer.sentence())
        });
        Some(match (&self.expected, about.as_str()) {
            (Some(expected), "") => format!("{found}, it should be `{expected}`"),
            (Some(expected), about) => format!("{found}{about}; it should be `{expected}`"),
            (None, about) => format!(
                "the servers load no group balancer (they were asked for {}), and {found}{about}",
                probes().join(" and ")
            ),
        })
    }
}

impl UnrequestedProperty {
    fn sentence(self) -> String {
        match self {
            Self::NoEffect => "which has no effect".to_owned(),
            Self::Groups(groups) => {
                format!("which splits the tablets into {groups} groups, each spread by itself")
            }
            Self::Unread => "which cannot be parsed".to_owned(),
        }
    }
}

/// Returns the effect on these tablets of a pattern that the balancer uses.
fn effect_of(pattern: &str, tablets: &Tablets) -> UnrequestedProperty {
    let pattern = match GroupPattern::parse(pattern) {
        Ok(pattern) => pattern,
        // The balancer does not use it either.
        Err(PatternError::NotOneGroup { .. }) => return UnrequestedProperty::NoEffect,
        Err(_) => return UnrequestedProperty::Unread,
    };
    let end_rows = tablets
        .as_slice()
        .iter()
        .map(|tablet| tablet.end_row.as_deref());
    let groups: BTreeSet<_> = end_rows.map(|end_row| pattern.group_of(end_row)).collect();
    match groups.len() {
        0 | 1 => UnrequestedProperty::NoEffect,
        groups => UnrequestedProperty::Groups(groups),
    }
}
