//! The iterators of tables and namespaces by their names.

use std::collections::{BTreeMap, BTreeSet};

use super::{NamespaceOperations, TableOperations};
use crate::data::{IteratorScope, IteratorSetting};
use crate::error::{ErrorKind, Result};
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Returns an iterator of a table in a scope, or `None` if there is none with this name
    /// (`getIteratorSetting`). A 1.x proxy fails if there is none, so this method also calls
    /// `listIterators`.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security),
    /// [`Accumulo`](ErrorKind::Accumulo), and those of [every call](crate#errors).
    pub async fn iterator(
        &self,
        table: &str,
        name: &str,
        scope: IteratorScope,
    ) -> Result<Option<IteratorSetting>> {
        type Request = wire::GetIteratorSetting;
        let request = |token| Request::new(token, table.to_owned(), name.to_owned(), scope);
        let setting = self.client.ask(Some(table), request).await;
        if_listed(setting, self.iterators(table), (name, scope)).await
    }
}

impl NamespaceOperations<'_> {
    /// Returns an iterator of a namespace in a scope, or `None` if there is none with this name
    /// (`getNamespaceIteratorSetting`). A 1.x proxy fails if there is none, so this method also
    /// calls `listNamespaceIterators`.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](ErrorKind::NamespaceNotFound), [`Security`](ErrorKind::Security),
    /// [`Accumulo`](ErrorKind::Accumulo), and those of [every call](crate#errors).
    pub async fn iterator(
        &self,
        namespace: &str,
        name: &str,
        scope: IteratorScope,
    ) -> Result<Option<IteratorSetting>> {
        type Request = wire::GetNamespaceIteratorSetting;
        let request = |token| Request::new(token, namespace.to_owned(), name.to_owned(), scope);
        let setting = self.client.ask(Some(namespace), request).await;
        if_listed(setting, self.iterators(namespace), (name, scope)).await
    }
}

/// The iterators of a table or a namespace by name, each with its scopes.
type Iterators = BTreeMap<String, BTreeSet<IteratorScope>>;

/// Returns the setting of an iterator, or `None` if there is none with this name in this scope.
///
/// The 1.x proxy then fails with a null pointer, without a clear message, so the `list` of all
/// iterators decides.
async fn if_listed(
    setting: Result<Option<IteratorSetting>>,
    list: impl Future<Output = Result<Iterators>>,
    (name, scope): (&str, IteratorScope),
) -> Result<Option<IteratorSetting>> {
    match setting {
        Err(error) if error.kind() == ErrorKind::Accumulo => match list.await?.get(name) {
            Some(scopes) if scopes.contains(&scope) => Err(error),
            _ => Ok(None),
        },
        setting => setting,
    }
}
