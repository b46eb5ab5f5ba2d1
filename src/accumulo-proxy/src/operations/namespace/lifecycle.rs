//! The lifecycle of a namespace.

use std::collections::{BTreeMap, BTreeSet};

use super::NamespaceOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl NamespaceOperations<'_> {
    /// Returns the name of the namespace of the system tables (`systemNamespace`): `accumulo`.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn system_namespace(&self) -> Result<String> {
        let request = wire::SystemNamespaceRequest::new();
        self.client.call(None, request).await
    }

    /// Returns the name of the namespace of tables without a namespace in their name
    /// (`defaultNamespace`): empty.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn default_namespace(&self) -> Result<String> {
        let request = wire::DefaultNamespaceRequest::new();
        self.client.call(None, request).await
    }

    /// Returns the names of all namespaces (`listNamespaces`), including the default and the system
    /// namespace.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn list(&self) -> Result<BTreeSet<String>> {
        let names = self
            .client
            .ask(None, wire::ListNamespacesRequest::new)
            .await?;
        Ok(names.into_iter().collect())
    }

    /// Checks whether a namespace exists (`namespaceExists`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn exists(&self, namespace: &str) -> Result<bool> {
        let request = |token| wire::NamespaceExistsRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }

    /// Returns the id of each namespace by its name (`namespaceIdMap`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn id_map(&self) -> Result<BTreeMap<String, String>> {
        self.client
            .ask(None, wire::NamespaceIdMapRequest::new)
            .await
    }

    /// Creates a namespace (`createNamespace`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`NamespaceExists`](crate::ErrorKind::NamespaceExists).
    pub async fn create(&self, namespace: &str) -> Result<()> {
        let request = |token| wire::CreateNamespaceRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }

    /// Renames a namespace and thereby its tables (`renameNamespace`).
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`NamespaceExists`](crate::ErrorKind::NamespaceExists).
    pub async fn rename(&self, namespace: &str, new_name: &str) -> Result<()> {
        let request = |token| {
            wire::RenameNamespaceRequest::new(token, namespace.to_owned(), new_name.to_owned())
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Deletes a namespace, which must not contain tables (`deleteNamespace`).
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`NamespaceNotEmpty`](crate::ErrorKind::NamespaceNotEmpty).
    pub async fn delete(&self, namespace: &str) -> Result<()> {
        let request = |token| wire::DeleteNamespaceRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }

    /// Checks whether the servers can load *and instantiate* a class as `as_type`, on the class
    /// path of the namespace (`testNamespaceClassLoad`). See
    /// [the method for tables](crate::TableOperations::test_class_load) for the meaning of `false`.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn test_class_load(
        &self,
        namespace: &str,
        class: &str,
        as_type: &str,
    ) -> Result<bool> {
        let request = |token| {
            let (class, as_type) = (class.to_owned(), as_type.to_owned());
            wire::TestNamespaceClassLoadRequest::new(token, namespace.to_owned(), class, as_type)
        };
        self.client.ask(Some(namespace), request).await
    }
}
