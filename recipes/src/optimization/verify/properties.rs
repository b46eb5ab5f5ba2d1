//! The balancer and its properties.

use std::collections::BTreeMap;

use std::collections::BTreeSet;

use fluo_core::balancer::{BalancerClass, GroupPattern, PatternError, group_balancers};
use fluo_core::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_core::{Result, TableAdmin, Tablets};
use serde::Serialize;

use super::super::TableOptimizations;
use super::super::balancer::{
    DEFAULT_GROUP, Unrequested, group_balancer, loads, pattern_in_force, pattern_of, probes,
    unrequested_properties,
};
use super::difference::{Difference, DifferenceKind};

/// A property, as it is wanted and as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyVerdict {
    /// Its name.
    pub name: String,
    /// The value that it should have. None for the balancer's class where the servers load no group balancer.
    pub expected: Option<String>,
    /// The value that it has, if any.
    pub found: Option<String>,
    /// What the class that was found is, where the property is the balancer's class and not as wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balancer: Option<FoundBalancer>,
    /// Where no recipe has a group: what the property does, which was left by groups of before. What is expected is
    /// then what the table inherits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrequested: Option<UnrequestedProperty>,
}

/// What a property does that groups of before have left on a table where no recipe has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnrequestedProperty {
    /// Nothing: all tablets are spread as one all the same.
    NoEffect,
    /// It parts the tablets into so many groups, each of which is spread by itself.
    Groups(usize),
    /// It is a pattern that the balancer goes by and that cannot be read here.
    Unread,
}

/// What a balancer's class that is not the wanted one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBalancer {
    /// It spreads tablets by their number, whatever their group.
    ByNumber,
    /// It is a group balancer, of the package of another version.
    OtherVersion,
    /// It is a group balancer, or another of Accumulo's own, of a package that the servers do not have.
    NotLoaded,
    /// The servers load it, but what it does is not known here.
    Unknown,
    /// It is not known here, and the servers do not load it, or cannot make it without arguments.
    UnknownNotLoaded,
}

/// Asks which group balancer there is, and compares. Without groups, looks for what groups of before have left.
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
        let kind = BalancerClass::of(class);
        // The group balancer itself cannot be asked for; another of its package can: see `group_balancers`.
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
            Self::ByNumber => "which does not look at groups",
            Self::OtherVersion => "the group balancer of another version of Accumulo",
            Self::NotLoaded => {
                "which the servers do not load, so that tablets may stay on no server"
            }
            Self::Unknown => "a class that is not known here",
            Self::UnknownNotLoaded => {
                "a class that is not known here and that the servers do not load, so that tablets may stay on no server"
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

    /// Whether the property is as wanted, or does nothing.
    pub fn is_as_expected(&self) -> bool {
        match self.unrequested {
            None => self.expected.is_some() && self.found == self.expected,
            Some(effect) => effect == UnrequestedProperty::NoEffect,
        }
    }

    /// The difference, where this share of the tablets is not where it should be. A wrong property explains that, and
    /// is worth something by itself.
    pub(super) fn finding(&self, displaced: f64) -> Option<Difference> {
        let told = self.difference()?;
        Some(Difference::new(
            DifferenceKind::Property,
            &self.name,
            0.5 + displaced / 2.0,
            told,
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
            Self::NoEffect => "which does nothing".to_owned(),
            Self::Groups(groups) => {
                format!("which parts the tablets into {groups} groups, each spread by itself")
            }
            Self::Unread => "which cannot be read here".to_owned(),
        }
    }
}

/// What a pattern that the balancer goes by does to these tablets.
fn effect_of(pattern: &str, tablets: &Tablets) -> UnrequestedProperty {
    let pattern = match GroupPattern::parse(pattern) {
        Ok(pattern) => pattern,
        // The balancer does not go by it either.
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
