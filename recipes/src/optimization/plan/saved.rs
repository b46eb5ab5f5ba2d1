//! Whether a plan that was read from a file is one that could have been made.

use fluo_core::{Bytes, Error, Escaped, Result, check_table_name};

use super::{FORMAT, Plan};
use crate::optimization::balancer::PROPERTIES;

impl Plan {
    /// Checks a plan that was saved: that this build reads its format, and that nobody edited it into something
    /// that no table could have led to.
    ///
    /// # Errors
    /// [`Invalid`](fluo_core::ErrorKind::Invalid), saying what is wrong with it.
    pub fn check(&self) -> Result<()> {
        if self.format != FORMAT {
            let format = self.format;
            let message =
                format!("the plan is of format {format}; this build reads format {FORMAT}");
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
            .chain(self.found_properties.keys());
        if let Some(name) = names
            .into_iter()
            .find(|name| !PROPERTIES.contains(&name.as_str()))
        {
            let name = name.escape_debug();
            return Err(edited(&format!(
                "it speaks of property `{name}`, which is none of the balancer's"
            )));
        }
        let is_wrong = |change: &&super::PropertyChange| {
            change.before.as_ref() != self.found_properties.get(&change.name)
                || self
                    .properties
                    .iter()
                    .filter(|other| other.name == change.name)
                    .count()
                    > 1
        };
        match self.properties.iter().find(is_wrong) {
            Some(change) => Err(edited(&format!(
                "what it says of property {} is at odds",
                change.name
            ))),
            None => Ok(()),
        }
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
