//! Waits until a change is in force (rule A9).
//!
//! The proxy caches the names of tables, and the servers cache properties. Both see a change a
//! moment after the call returns.

use std::collections::BTreeMap;

use fluo_table::{Error, ErrorKind, Result, TableAdmin};

use crate::backoff::Settling;
use crate::error::{after_change, port_error};
use crate::tables::AccumuloTables;

impl AccumuloTables {
    /// Waits until properties have their new values or, if they were removed, their inherited ones.
    pub(crate) async fn wait_for_properties(
        &self,
        name: &str,
        changes: &[(&str, Option<&str>)],
    ) -> Result<()> {
        // Accumulo treats an empty value as no value.
        let changes = changes.iter().map(|(property, value)| {
            let value = value.filter(|value| !value.is_empty());
            (*property, value)
        });
        let mut expected: BTreeMap<_, _> = changes.collect();
        let change = changed(name, expected.keys());
        let inherited = if expected.values().all(Option::is_some) {
            BTreeMap::new()
        } else {
            let inherited = self.inherited_properties(name).await;
            inherited.map_err(|error| after_change(&change, error))?
        };
        for (property, value) in &mut expected {
            *value = value.or_else(|| inherited.get(*property).map(String::as_str));
        }
        let mut settling = Settling::begin();
        loop {
            // `self.properties` would check again that the table exists; the changes were made a
            // moment ago, so it does.
            let found = self.client.table_operations().properties(name).await;
            let found = found.map_err(|error| after_change(&change, port_error(error)))?;
            expected.retain(|property, value| found.get(*property).map(String::as_str) != *value);
            if expected.is_empty() {
                return Ok(());
            }
            if !settling.wait().await {
                let change = changed(name, expected.keys());
                let why = "the servers do not show that, or another client has changed it since";
                return Err(unseen(&change, why));
            }
        }
    }

    /// Waits until the id of a name is as it is after a change.
    pub(crate) async fn wait_for_id(
        &self,
        name: &str,
        change: &str,
        is_so: impl Fn(Option<&str>) -> bool + Send,
    ) -> Result<()> {
        let mut settling = Settling::begin();
        loop {
            let ids = self.identities.read().await.map_err(|error| after_change(change, error))?;
            if is_so(ids.get(name).map(String::as_str)) {
                return Ok(());
            }
            if !settling.wait().await {
                return Err(unseen(change, "the proxy does not show it"));
            }
        }
    }
}

fn changed<'a>(table: &str, properties: impl Iterator<Item = &'a &'a str>) -> String {
    match &*properties.copied().collect::<Vec<_>>() {
        [property] => format!("property {property} of table `{table}` was changed"),
        several => format!("properties {} of table `{table}` were changed", several.join(", ")),
    }
}

fn unseen(change: &str, why: &str) -> Error {
    Error::new(ErrorKind::Uncertain, format!("{change}, but {why}"))
}
