//! Iterators of a namespace.

use std::collections::{BTreeMap, BTreeSet};

use super::NamespaceOperations;
use crate::convert::{FromWire, ToWire, scopes_by_name, scopes_to_wire};
use crate::data::{IteratorScope, IteratorSetting};
use crate::error::{ErrorKind, Result};
use crate::wire::interface as wire;

impl NamespaceOperations<'_> {
    /// Attaches an iterator to all tables of a namespace, in these scopes
    /// (`attachNamespaceIterator`). The servers apply it within about a second.
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](ErrorKind::NamespaceNotFound), [`Accumulo`](ErrorKind::Accumulo) if
    /// its name or priority is already in use. The class is not checked.
    pub async fn attach_iterator(
        &self,
        namespace: &str,
        iterator: &IteratorSetting,
        scopes: &[IteratorScope],
    ) -> Result<()> {
        let request = |token| {
            let (iterator, scopes) = (iterator.to_wire(), scopes_to_wire(scopes));
            wire::AttachNamespaceIteratorRequest::new(token, namespace.to_owned(), iterator, scopes)
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Removes an iterator from these scopes of a namespace (`removeNamespaceIterator`).
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](ErrorKind::NamespaceNotFound).
    pub async fn remove_iterator(
        &self,
        namespace: &str,
        name: &str,
        scopes: &[IteratorScope],
    ) -> Result<()> {
        let request = |token| {
            let (name, scopes) = (name.to_owned(), scopes_to_wire(scopes));
            wire::RemoveNamespaceIteratorRequest::new(token, namespace.to_owned(), name, scopes)
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Returns an iterator of a namespace in a scope, or `None` if there is none with this name
    /// (`getNamespaceIteratorSetting`). A 1.x proxy fails if there is none, so this method also
    /// calls `listNamespaceIterators`.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](ErrorKind::NamespaceNotFound).
    pub async fn iterator(
        &self,
        namespace: &str,
        name: &str,
        scope: IteratorScope,
    ) -> Result<Option<IteratorSetting>> {
        type Request = wire::GetNamespaceIteratorSettingRequest;
        let request = |token| {
            Request::new(
                token,
                namespace.to_owned(),
                name.to_owned(),
                scope.to_wire(),
            )
        };
        let setting = match self.client.ask(Some(namespace), request).await {
            // The 1.x proxy fails with a null pointer if there is no such iterator, without a clear
            // message.
            Err(error) if error.kind() == ErrorKind::Accumulo => {
                let there = self.iterators(namespace).await?;
                let is_there = there
                    .get(name)
                    .is_some_and(|scopes| scopes.contains(&scope));
                return if is_there { Err(error) } else { Ok(None) };
            }
            outcome => outcome?.map(IteratorSetting::from_wire).transpose(),
        };
        self.client.meaning::<Request, _>(Some(namespace), setting)
    }

    /// Returns the iterators of a namespace by name, each with its scopes
    /// (`listNamespaceIterators`).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](ErrorKind::NamespaceNotFound).
    pub async fn iterators(
        &self,
        namespace: &str,
    ) -> Result<BTreeMap<String, BTreeSet<IteratorScope>>> {
        type Request = wire::ListNamespaceIteratorsRequest;
        let iterators = self.client.ask(Some(namespace), |token| {
            Request::new(token, namespace.to_owned())
        });
        let scopes = scopes_by_name(iterators.await?);
        self.client.meaning::<Request, _>(Some(namespace), scopes)
    }

    /// Checks whether an iterator can be attached (`checkNamespaceIteratorConflicts`). If it
    /// cannot, the error contains the reason.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](ErrorKind::NamespaceNotFound), [`Accumulo`](ErrorKind::Accumulo) if
    /// its name or priority is already in use.
    pub async fn check_iterator_conflicts(
        &self,
        namespace: &str,
        iterator: &IteratorSetting,
        scopes: &[IteratorScope],
    ) -> Result<()> {
        let request = |token| {
            let (iterator, scopes) = (iterator.to_wire(), scopes_to_wire(scopes));
            wire::CheckNamespaceIteratorConflictsRequest::new(
                token,
                namespace.to_owned(),
                iterator,
                scopes,
            )
        };
        self.client.ask(Some(namespace), request).await
    }
}
