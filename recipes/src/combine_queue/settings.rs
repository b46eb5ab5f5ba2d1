//! The settings of a combine queue in the configuration of an application.

use std::collections::BTreeMap;

use fluo::Bytes;

use super::CombineQueue;
use crate::registration::{Recipe, Registration};

/// The class that Java applications register for the split points of a queue.
pub(crate) const OPTIMIZER: &str = "org.apache.fluo.recipes.core.combine.CombineQueue$Optimizer";
/// Returns the prefix of the settings of a queue.
pub(crate) fn settings_prefix(id: &str) -> String {
    format!("recipes.cfm.{id}.")
}

impl<K: 'static, V: 'static> Recipe for CombineQueue<K, V> {
    fn registration(&self) -> Registration {
        let id = self.id();
        let prefix = settings_prefix(id);
        let mut settings = BTreeMap::new();
        self.options().store(&prefix, &mut settings);
        settings.insert(format!("{prefix}key"), self.inner.keys.name().into_owned());
        settings.insert(
            format!("{prefix}val"),
            self.inner.values.name().into_owned(),
        );
        Registration {
            id: id.to_owned(),
            what: format!("the combine queue `{id}`"),
            optimizer: OPTIMIZER,
            fixed: vec![
                format!("{prefix}buckets"),
                format!("{prefix}key"),
                format!("{prefix}val"),
            ],
            settings,
            transient: Some((
                format!("cfm.{id}"),
                (format!("{id}:d:~"), format!("{id}:u:~")),
            )),
            prefixes: vec![Bytes::from(format!("{id}:")), Bytes::from(format!("{id}!"))],
        }
    }
}
