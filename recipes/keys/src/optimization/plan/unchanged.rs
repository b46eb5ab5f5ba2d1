//! Comparison of a table with the state that a plan found.

use fluo_table::{Bytes, Error, Escaped, Result};

use super::Plan;
use crate::optimization::balancer::PROPERTIES;
use crate::optimization::table_state::TableState;

impl Plan {
    /// Rejects a table that is neither in the state that this plan found nor in a state between
    /// that and its result: an interrupted plan can be applied again.
    pub(in crate::optimization) fn check_unchanged(&self, state: &TableState) -> Result<()> {
        let change = self.unexpected_split(state).or_else(|| self.unexpected_property(state));
        match change {
            None => Ok(()),
            Some(what) => Err(Error::invalid(format!(
                "table `{}` has changed since the plan was made: {what}; nothing was done, make a new plan",
                self.table
            ))),
        }
    }

    fn unexpected_split(&self, state: &TableState) -> Option<String> {
        let is_in = |splits: &[Bytes], split: &Bytes| splits.binary_search(split).is_ok();
        let mut here = state.splits.iter();
        let appeared =
            here.find(|split| !is_in(&self.found_splits, split) && !is_in(&self.add_splits, split));
        if let Some(split) = appeared {
            return Some(format!("split point `{}` was added", Escaped(split)));
        }
        let mut found = self.found_splits.iter();
        let vanished = found
            .find(|split| !state.splits.contains(*split) && !is_in(&self.remove_splits, split));
        vanished.map(|split| format!("split point `{}` was removed", Escaped(split)))
    }

    fn unexpected_property(&self, state: &TableState) -> Option<String> {
        PROPERTIES.into_iter().find_map(|name| {
            let found = state.properties.get(name);
            let before = self.found_properties.get(name);
            let change = self.properties.iter().find(|change| change.name == name);
            let is_on_the_way =
                found == before || change.is_some_and(|change| found == change.after.as_ref());
            (!is_on_the_way).then(|| {
                format!("property {name} was {} and is {} now", shown(before), shown(found))
            })
        })
    }
}

fn shown(value: Option<&String>) -> String {
    value.map_or("not set".to_owned(), |value| format!("`{value}`"))
}
