//! Properties and locality groups of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::TableOperations;
use crate::error::Result;
use crate::wire::generated as wire;

impl TableOperations<'_> {
    /// The properties that hold for a table (`getTableProperties`): its own, and those of its namespace, the system and
    /// Accumulo's defaults where it has none.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn properties(&self, table: &str) -> Result<BTreeMap<String, String>> {
        let request = |token| wire::GetTablePropertiesRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Sets a property of a table (`setTableProperty`). The servers see it within about a second. Accumulo checks few
    /// values: a class that does not exist is taken, and shows when it is needed.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo) for a name that is
    /// no property of a table.
    pub async fn set_property(&self, table: &str, property: &str, value: &str) -> Result<()> {
        let request = |token| {
            let (property, value) = (property.to_owned(), value.to_owned());
            wire::SetTablePropertyRequest::new(token, table.to_owned(), property, value)
        };
        self.client.ask(Some(table), request).await
    }

    /// Removes a property of a table (`removeTableProperty`), so that the one of its namespace holds. One that is
    /// not there is removed too.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn remove_property(&self, table: &str, property: &str) -> Result<()> {
        let request = |token| {
            wire::RemoveTablePropertyRequest::new(token, table.to_owned(), property.to_owned())
        };
        self.client.ask(Some(table), request).await
    }

    /// The locality groups of a table (`getLocalityGroups`): the families of each.
    ///
    /// The proxy gives families as text, so they must be text.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn locality_groups(&self, table: &str) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let request = |token| wire::GetLocalityGroupsRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Sets the locality groups of a table, all of them (`setLocalityGroups`). Files that are there keep their groups
    /// until they are compacted.
    ///
    /// # Errors
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
