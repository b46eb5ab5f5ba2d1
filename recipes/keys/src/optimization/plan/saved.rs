//! Checks of a plan that was read from a file, and of the table that it is applied to.

use fluo_table::balancer::{BalancerClass, GroupPattern};
use fluo_table::table::property::{BALANCER, GROUP_PATTERN};
use fluo_table::{Bytes, Error, Escaped, Result, check_table_name};

use super::Plan;
use crate::optimization::balancer::{PROPERTIES, PropertyChange, value_text};
use crate::optimization::step::TableState;

impl Plan {
    /// Checks a saved plan: this build must support its format, and it must be a plan that
    /// [`plan`](crate::TableOptimizations::plan) could have returned.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid), with the reason.
    pub fn check(&self) -> Result<()> {
        if self.format != Self::FORMAT {
            let (format, known) = (self.format, Self::FORMAT);
            let message =
                format!("the plan has format {format}, but this build reads format {known}");
            return Err(Error::invalid(message));
        }
        check_table_name(&self.table)?;
        self.check_splits()
            .and_then(|()| self.check_properties())
            .map_err(|flaw| Error::invalid(format!("the plan was edited: {flaw}; make a new one")))
    }

    fn check_splits(&self) -> Result<(), String> {
        let Self { splits_to_add, found_splits, splits_to_remove, .. } = self;
        for (name, splits) in [
            ("add_splits", splits_to_add),
            ("found_splits", found_splits),
            ("remove_splits", splits_to_remove),
        ] {
            if !splits.is_sorted_by(|a, b| a < b) || splits.first().is_some_and(Bytes::is_empty) {
                return Err(format!("its {name} are not ascending rows"));
            }
        }
        let is_found = |split: &&Bytes| found_splits.binary_search(split).is_ok();
        if let Some(split) = splits_to_add.iter().find(is_found) {
            return Err(format!("it adds `{}`, which it found", Escaped(split)));
        }
        match splits_to_remove.iter().find(|split| !is_found(split)) {
            Some(split) => Err(format!("it removes `{}`, which it did not find", Escaped(split))),
            None => Ok(()),
        }
    }

    fn check_properties(&self) -> Result<(), String> {
        let changed = || self.properties.iter().map(|change| change.name.as_str());
        let others = self.found_properties.keys().chain(&self.unrequested_properties);
        let mut names = changed().chain(others.map(String::as_str));
        if let Some(name) = names.find(|name| !PROPERTIES.contains(name)) {
            let name = name.escape_debug();
            return Err(format!(
                "it contains property `{name}`, which is not a property of the balancer"
            ));
        }
        let places = changed().map(|name| PROPERTIES.iter().position(|one| *one == name));
        let mut places: Vec<_> = places.collect();
        if self.is_without_groups {
            // The class of the balancer is removed before the properties that it reads.
            places.reverse();
        }
        if !places.is_sorted_by(|a, b| a < b) {
            return Err("its properties are not in a safe order".to_owned());
        }
        self.properties.iter().try_for_each(|change| self.check_change(change))
    }

    fn check_change(&self, change: &PropertyChange) -> Result<(), String> {
        let PropertyChange { name, before, after, removed } = change;
        let is_left = self.is_without_groups && self.unrequested_properties.contains(name);
        Err(match after {
            _ if before.as_ref() != self.found_properties.get(name) => {
                format!("it has two old values of property {name}")
            }
            _ if *removed && (before.is_none() || before == after) => {
                format!("it removes property {name}, which is not set on the table")
            }
            _ if *removed && !is_left => {
                format!("it removes property {name}, which earlier groups did not leave")
            }
            _ if *removed => return Ok(()),
            None => format!("it sets property {name} to no value"),
            _ if self.is_without_groups => {
                format!("it sets property {name}, though no recipe has a group")
            }
            Some(class) if name == BALANCER => match BalancerClass::from_name(class) {
                BalancerClass::ByGroup => return Ok(()),
                _ => format!("`{}` is not a group balancer", class.escape_debug()),
            },
            Some(pattern) => match GroupPattern::parse(pattern) {
                Err(error) if name == GROUP_PATTERN => error.to_string(),
                _ => return Ok(()),
            },
        })
    }

    /// Rejects a table that is neither in the state that this plan found nor in a state between
    /// that and its result: an interrupted plan can be applied again.
    pub(in crate::optimization) fn check_unchanged(&self, state: &TableState) -> Result<()> {
        let change = self.unexpected_split(state).or_else(|| self.unexpected_property(state));
        let Some(what) = change else { return Ok(()) };
        Err(Error::invalid(format!(
            "table `{}` has changed since the plan was made: {what}; nothing was done, make a new plan",
            self.table
        )))
    }

    fn unexpected_split(&self, state: &TableState) -> Option<String> {
        let is_in = |splits: &[Bytes], split: &Bytes| splits.binary_search(split).is_ok();
        let mut here = state.splits.iter();
        let appeared = here
            .find(|split| !is_in(&self.found_splits, split) && !is_in(&self.splits_to_add, split));
        if let Some(split) = appeared {
            return Some(format!("split point `{}` was added", Escaped(split)));
        }
        let mut found = self.found_splits.iter();
        let vanished = found
            .find(|split| !state.splits.contains(*split) && !is_in(&self.splits_to_remove, split));
        vanished.map(|split| format!("split point `{}` was removed", Escaped(split)))
    }

    fn unexpected_property(&self, state: &TableState) -> Option<String> {
        PROPERTIES.into_iter().find_map(|name| {
            let found = state.properties.get(name);
            let before = self.found_properties.get(name);
            let change = self.properties.iter().find(|change| change.name == name);
            let is_on_the_way =
                found == before || change.is_some_and(|change| found == change.after.as_ref());
            let (was, is) = (value_text(before), value_text(found));
            (!is_on_the_way).then(|| format!("property {name} was {was} and is {is} now"))
        })
    }
}
