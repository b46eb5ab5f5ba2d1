//! Checks of a plan that was read from a file.

use fluo_table::balancer::{BalancerClass, GroupPattern};
use fluo_table::table::property;
use fluo_table::{Bytes, Error, Escaped, Result, check_table_name};

use super::{FORMAT, Plan, PropertyChange};
use crate::optimization::balancer::PROPERTIES;

impl Plan {
    /// Checks a saved plan: this build must support its format, and it must be a plan that
    /// [`plan`](crate::TableOptimizations::plan) could have returned.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid), with the reason.
    pub fn check(&self) -> Result<()> {
        if self.format != FORMAT {
            let format = self.format;
            let message =
                format!("the plan has format {format}, but this build reads format {FORMAT}");
            return Err(Error::invalid(message));
        }
        check_table_name(&self.table)?;
        check_ascending("add_splits", &self.add_splits)?;
        check_ascending("found_splits", &self.found_splits)?;
        check_ascending("remove_splits", &self.remove_splits)?;
        self.check_splits()?;
        self.check_properties()
    }

    fn check_splits(&self) -> Result<()> {
        let is_found = |split: &&Bytes| self.found_splits.binary_search(split).is_ok();
        if let Some(split) = self.add_splits.iter().find(is_found) {
            return Err(edited(&format!(
                "it adds `{}`, which it found",
                Escaped(split)
            )));
        }
        match self.remove_splits.iter().find(|split| !is_found(split)) {
            Some(split) => Err(edited(&format!(
                "it removes `{}`, which it did not find",
                Escaped(split)
            ))),
            None => Ok(()),
        }
    }

    fn check_properties(&self) -> Result<()> {
        let names = self
            .properties
            .iter()
            .map(|change| &change.name)
            .chain(self.found_properties.keys())
            .chain(&self.unrequested_properties);
        if let Some(name) = names
            .into_iter()
            .find(|name| !PROPERTIES.contains(&name.as_str()))
        {
            let name = name.escape_debug();
            return Err(edited(&format!(
                "it contains property `{name}`, which is not a property of the balancer"
            )));
        }
        let mut places: Vec<_> = self
            .properties
            .iter()
            .map(|change| PROPERTIES.iter().position(|name| *name == change.name))
            .collect();
        let what = if self.without_groups {
            // The class of the balancer is removed before the properties that it reads.
            places.reverse();
            "remove"
        } else {
            "set"
        };
        if !places.is_sorted_by(|a, b| a < b) {
            return Err(edited(&format!(
                "its properties are not in the order in which they are safe to {what}"
            )));
        }
        self.properties
            .iter()
            .try_for_each(|change| self.check_change(change))
    }

    fn check_change(&self, change: &PropertyChange) -> Result<()> {
        let PropertyChange { name, before, .. } = change;
        if before.as_ref() != self.found_properties.get(name) {
            return Err(edited(&format!("it has two old values of property {name}")));
        }
        if change.removed {
            return self.check_removal(change);
        }
        let Some(after) = &change.after else {
            return Err(edited(&format!("it sets property {name} to no value")));
        };
        if self.without_groups {
            return Err(edited(&format!(
                "it sets property {name}, though no recipe has a group"
            )));
        }
        if name == property::BALANCER && BalancerClass::from_name(after) != BalancerClass::ByGroup {
            return Err(edited(&format!(
                "`{}` is not a group balancer",
                after.escape_debug()
            )));
        }
        match GroupPattern::parse(after) {
            Err(error) if name == property::GROUP_PATTERN => Err(edited(&error.to_string())),
            _ => Ok(()),
        }
    }

    fn check_removal(&self, change: &PropertyChange) -> Result<()> {
        let name = &change.name;
        if change.before.is_none() || change.before == change.after {
            return Err(edited(&format!(
                "it removes property {name}, which is not set on the table"
            )));
        }
        if !self.without_groups || !self.unrequested_properties.contains(name) {
            return Err(edited(&format!(
                "it removes property {name}, which earlier groups did not leave"
            )));
        }
        Ok(())
    }
}

fn check_ascending(name: &str, splits: &[Bytes]) -> Result<()> {
    let is_ascending = splits.iter().zip(splits.iter().skip(1)).all(|(a, b)| a < b);
    if is_ascending && splits.first().is_none_or(|first| !first.is_empty()) {
        return Ok(());
    }
    Err(edited(&format!("its {name} are not ascending rows")))
}

fn edited(what: &str) -> Error {
    Error::invalid(format!("the plan was edited: {what}; make a new one"))
}
