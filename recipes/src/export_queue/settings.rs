//! The settings of an export queue in the configuration of an application.

use std::collections::BTreeMap;

use fluo::Bytes;

use super::ExportQueue;
use crate::registration::{Recipe, Registration};

/// The class that Java applications register for the split points of a queue.
pub(crate) const OPTIMIZER: &str = "org.apache.fluo.recipes.core.export.ExportQueue$Optimizer";
/// Returns the prefix of the settings of a queue.
pub(crate) fn settings_prefix(id: &str) -> String {
    format!("recipes.exportQueue.{id}.")
}

impl<K: 'static, V: 'static> Recipe for ExportQueue<K, V> {
    fn registration(&self) -> Registration {
        let id = self.id();
        let prefix = settings_prefix(id);
        let mut settings = BTreeMap::new();
        self.options().store(&prefix, &mut settings);
        let (keys, values) = self.codecs();
        settings.insert(format!("{prefix}key"), keys.name().into_owned());
        settings.insert(format!("{prefix}val"), values.name().into_owned());
        Registration {
            id: id.to_owned(),
            what: format!("the export queue `{id}`"),
            optimizer: OPTIMIZER,
            fixed: ["buckets", "key", "val"]
                .map(|name| format!("{prefix}{name}"))
                .into(),
            settings,
            transient: Some((
                format!("exportQueue.{id}"),
                (format!("{id}#"), format!("{id}:~")),
            )),
            prefixes: [":", "!", "#"]
                .map(|end| Bytes::from(format!("{id}{end}")))
                .into(),
        }
    }
}
