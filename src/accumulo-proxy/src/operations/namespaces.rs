//! Operations on namespaces.

use std::collections::{BTreeMap, BTreeSet};

use super::iterators::iterator;
use super::methods::Named;
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{IteratorScope, IteratorSetting};
use crate::error::Result;
use crate::wire::interface as wire;

/// Operations on namespaces and the configuration that they provide for their tables. The name of
/// the default namespace is empty.
///
/// In addition to its documented errors, each method can fail with
/// [`Security`](crate::ErrorKind::Security) if the user lacks a permission, with
/// [`Accumulo`](crate::ErrorKind::Accumulo), and with the errors of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct NamespaceOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on namespaces.
    pub fn namespace_operations(&self) -> NamespaceOperations<'_> {
        NamespaceOperations { client: self }
    }
}

wire::namespace_calls!(methods);

impl NamespaceOperations<'_> {
    /// Returns an iterator of a namespace in a scope, or `None` if there is none with this name
    /// (`getNamespaceIteratorSetting`). A 1.x proxy fails if there is none, so this method also
    /// calls `listNamespaceIterators`.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn iterator(
        &self,
        namespace: &str,
        name: &str,
        scope: IteratorScope,
    ) -> Result<Option<IteratorSetting>> {
        type Request = wire::GetNamespaceIteratorSetting;
        let request = |token| Request::new(token, namespace.to_owned(), name.to_owned(), scope);
        let listed = self.iterators(namespace);
        iterator(self.client, namespace, request, listed, (name, scope)).await
    }
}
