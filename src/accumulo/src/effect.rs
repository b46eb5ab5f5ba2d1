//! Waits until a change is in force (rule A9).
//!
//! The proxy caches the names of tables, and the servers cache properties. Both see a change a
//! moment after the call returns.

use fluo_table::{Error, ErrorKind, Result, TableAdmin};

use crate::error::{after_change, port_error};
use crate::settle::Settling;
use crate::tables::AccumuloTables;

impl AccumuloTables {
    pub(crate) async fn wait_for_creation(&self, name: &str) -> Result<()> {
        let change = format!("table `{name}` was created");
        self.wait_for_id(name, &change, |found| found.is_some())
            .await
    }

    /// Waits until no table has the name, or a newer table has it.
    pub(crate) async fn wait_for_deletion(&self, name: &str, id: &str) -> Result<()> {
        let change = format!("table `{name}` was deleted");
        self.wait_for_id(name, &change, |found| found != Some(id))
            .await
    }

    pub(crate) async fn wait_for_inherited(&self, name: &str, property: &str) -> Result<()> {
        let inherited = self.inherited_properties(name).await;
        let inherited = inherited.map_err(|error| after_change(&changed(name, property), error))?;
        let value = inherited.get(property).map(String::as_str);
        self.wait_for_property(name, property, value).await
    }

    /// Waits until a property has its new value.
    pub(crate) async fn wait_for_property(
        &self,
        name: &str,
        property: &str,
        value: Option<&str>,
    ) -> Result<()> {
        let change = changed(name, property);
        let mut settling = Settling::begin();
        loop {
            // `self.properties` would check again that the table exists; the change was made a
            // moment ago, so it does.
            let found = self.client.table_operations().properties(name).await;
            let found = found.map_err(|error| after_change(&change, port_error(error)))?;
            if found.get(property).map(String::as_str) == value {
                return Ok(());
            }
            if !settling.wait().await {
                let why = "the servers do not show it, or another client has changed it since";
                return Err(unseen(&change, why));
            }
        }
    }

    async fn wait_for_id(
        &self,
        name: &str,
        change: &str,
        is_so: impl Fn(Option<&str>) -> bool + Send,
    ) -> Result<()> {
        let mut settling = Settling::begin();
        loop {
            let ids = self
                .identities
                .read()
                .await
                .map_err(|error| after_change(change, error))?;
            if is_so(ids.get(name).map(String::as_str)) {
                return Ok(());
            }
            if !settling.wait().await {
                return Err(unseen(change, "the proxy does not show it"));
            }
        }
    }
}

fn changed(table: &str, property: &str) -> String {
    format!("property {property} of table `{table}` was changed")
}

fn unseen(change: &str, why: &str) -> Error {
    Error::new(ErrorKind::Uncertain, format!("{change}, but {why}"))
}
