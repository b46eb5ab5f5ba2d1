//! Properties of a namespace.

use std::collections::BTreeMap;

use super::NamespaceOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl NamespaceOperations<'_> {
    /// Returns the properties of a namespace (`getNamespaceProperties`), which apply to its tables
    /// unless a table sets its own: those of the namespace, and for the others those of the system
    /// and Accumulo's defaults.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn properties(&self, namespace: &str) -> Result<BTreeMap<String, String>> {
        let request = |token| wire::GetNamespacePropertiesRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }

    /// Sets a property of a namespace (`setNamespaceProperty`). The servers apply it within about a
    /// second. Accumulo checks few values: it accepts a class that does not exist, and fails when
    /// the class is needed.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`Accumulo`](crate::ErrorKind::Accumulo) for a name that is not a table property.
    pub async fn set_property(&self, namespace: &str, property: &str, value: &str) -> Result<()> {
        let request = |token| {
            let (property, value) = (property.to_owned(), value.to_owned());
            wire::SetNamespacePropertyRequest::new(token, namespace.to_owned(), property, value)
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Removes a property of a namespace (`removeNamespaceProperty`), so that the value of the
    /// system applies. Succeeds also if the property is not set.
    ///
    /// # Errors
    ///
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
