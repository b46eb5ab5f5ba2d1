//! Properties of a namespace.

use std::collections::BTreeMap;

use super::NamespaceOperations;
use crate::error::Result;
use crate::wire::generated as wire;

impl NamespaceOperations<'_> {
    /// The properties that hold for the tables of a namespace where they have none of their own
    /// (`getNamespaceProperties`): its own, and those of the system and Accumulo's defaults.
    ///
    /// # Errors
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn properties(&self, namespace: &str) -> Result<BTreeMap<String, String>> {
        let request = |token| wire::GetNamespacePropertiesRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }

    /// Sets a property of a namespace (`setNamespaceProperty`). The servers see it within about a second. Accumulo
    /// checks few values: a class that does not exist is taken, and shows when it is needed.
    ///
    /// # Errors
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound), [`Accumulo`](crate::ErrorKind::Accumulo) for a name
    /// that is no property of a table.
    pub async fn set_property(&self, namespace: &str, property: &str, value: &str) -> Result<()> {
        let request = |token| {
            let (property, value) = (property.to_owned(), value.to_owned());
            wire::SetNamespacePropertyRequest::new(token, namespace.to_owned(), property, value)
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Removes a property of a namespace (`removeNamespaceProperty`), so that the one of the system holds. One that is
    /// not there is removed too.
    ///
    /// # Errors
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn remove_property(&self, namespace: &str, property: &str) -> Result<()> {
        let request = |token| {
            wire::RemoveNamespacePropertyRequest::new(
                token,
                namespace.to_owned(),
                property.to_owned(),
            )
        };
        self.client.ask(Some(namespace), request).await
    }
}
