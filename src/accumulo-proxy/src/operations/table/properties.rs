//! Properties and locality groups of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::TableOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Returns the effective properties of a table (`getTableProperties`): its own, and for the
    /// others those of its namespace, of the system, and Accumulo's defaults.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn properties(&self, table: &str) -> Result<BTreeMap<String, String>> {
        let request = |token| wire::GetTablePropertiesRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Sets a property of a table (`setTableProperty`). The servers apply it within about a second.
    /// Accumulo checks few values: it accepts a class that does not exist, and fails when the class
    /// is needed.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo)
    /// for a name that is not a table property.
    pub async fn set_property(&self, table: &str, property: &str, value: &str) -> Result<()> {
        let request = |token| {
            let (property, value) = (property.to_owned(), value.to_owned());
            wire::SetTablePropertyRequest::new(token, table.to_owned(), property, value)
        };
        self.client.ask(Some(table), request).await
    }

    /// Removes a property of a table (`removeTableProperty`), so that the value of its namespace
    /// applies. Succeeds also if the property is not set.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn remove_property(&self, table: &str, property: &str) -> Result<()> {
        let request = |token| {
            wire::RemoveTablePropertyRequest::new(token, table.to_owned(), property.to_owned())
        };
        self.client.ask(Some(table), request).await
    }

    /// Returns the locality groups of a table, with the column families of each
    /// (`getLocalityGroups`).
    ///
    /// The proxy returns families as text, so they must be text.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn locality_groups(&self, table: &str) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let request = |token| wire::GetLocalityGroupsRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Replaces all locality groups of a table (`setLocalityGroups`). Existing files keep their
    /// groups until they are compacted.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn set_locality_groups(
        &self,
        table: &str,
        groups: &BTreeMap<String, BTreeSet<String>>,
    ) -> Result<()> {
        let request =
            |token| wire::SetLocalityGroupsRequest::new(token, table.to_owned(), groups.clone());
        self.client.ask(Some(table), request).await
    }
}
