//! Iterators of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::TableOperations;
use crate::convert::{FromWire, ToWire, scopes_by_name, scopes_to_wire};
use crate::data::{IteratorScope, IteratorSetting};
use crate::error::{ErrorKind, Result};
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Attaches an iterator to a table, in these scopes (`attachIterator`). The servers apply it
    /// within about a second. [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Accumulo`](ErrorKind::Accumulo) if its name
    /// or priority is already in use. The class is not checked.
    pub async fn attach_iterator(
        &self,
        table: &str,
        iterator: &IteratorSetting,
        scopes: &[IteratorScope],
    ) -> Result<()> {
        let request = |token| {
            let (iterator, scopes) = (iterator.to_wire(), scopes_to_wire(scopes));
            wire::AttachIteratorRequest::new(token, table.to_owned(), iterator, scopes)
        };
        self.client.ask(Some(table), request).await
    }

    /// Removes an iterator from these scopes of a table (`removeIterator`).
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound).
    pub async fn remove_iterator(
        &self,
        table: &str,
        name: &str,
        scopes: &[IteratorScope],
    ) -> Result<()> {
        let request = |token| {
            let (name, scopes) = (name.to_owned(), scopes_to_wire(scopes));
            wire::RemoveIteratorRequest::new(token, table.to_owned(), name, scopes)
        };
        self.client.ask(Some(table), request).await
    }

    /// Returns an iterator of a table in a scope, or `None` if there is none with this name
    /// (`getIteratorSetting`). A 1.x proxy fails if there is none, so this method also calls
    /// `listIterators`.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound).
    pub async fn iterator(
        &self,
        table: &str,
        name: &str,
        scope: IteratorScope,
    ) -> Result<Option<IteratorSetting>> {
        type Request = wire::GetIteratorSettingRequest;
        let request =
            |token| Request::new(token, table.to_owned(), name.to_owned(), scope.to_wire());
        let setting = match self.client.ask(Some(table), request).await {
            // The 1.x proxy fails with a null pointer if there is no such iterator, without a clear
            // message.
            Err(error) if error.kind() == ErrorKind::Accumulo => {
                let there = self.iterators(table).await?;
                let is_there = there
                    .get(name)
                    .is_some_and(|scopes| scopes.contains(&scope));
                return if is_there { Err(error) } else { Ok(None) };
            }
            outcome => outcome?.map(IteratorSetting::from_wire).transpose(),
        };
        self.client.meaning::<Request, _>(Some(table), setting)
    }

    /// Returns the iterators of a table by name, each with its scopes (`listIterators`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound).
    pub async fn iterators(
        &self,
        table: &str,
    ) -> Result<BTreeMap<String, BTreeSet<IteratorScope>>> {
        type Request = wire::ListIteratorsRequest;
        let iterators = self
            .client
            .ask(Some(table), |token| Request::new(token, table.to_owned()));
        let scopes = scopes_by_name(iterators.await?);
        self.client.meaning::<Request, _>(Some(table), scopes)
    }

    /// Checks whether an iterator can be attached (`checkIteratorConflicts`). If it cannot, the
    /// error contains the reason.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Accumulo`](ErrorKind::Accumulo) if its name
    /// or priority is already in use.
    pub async fn check_iterator_conflicts(
        &self,
        table: &str,
        iterator: &IteratorSetting,
        scopes: &[IteratorScope],
    ) -> Result<()> {
        let request = |token| {
            let (iterator, scopes) = (iterator.to_wire(), scopes_to_wire(scopes));
            wire::CheckIteratorConflictsRequest::new(token, table.to_owned(), iterator, scopes)
        };
        self.client.ask(Some(table), request).await
    }
}
