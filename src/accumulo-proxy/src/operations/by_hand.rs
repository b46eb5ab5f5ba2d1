//! The methods that the table of calls cannot describe: they prepare arguments, or interpret the
//! answer.

use std::collections::{BTreeMap, BTreeSet};

use super::methods::Named;
use super::{
    ConditionalWriterHandle, LowLevel, NamespaceOperations, SecurityOperations, TableOperations,
};
use crate::convert::{FromWire, ToWire};
use crate::data::{
    Bytes, ConditionalMutation, ConditionalOutcome, DiskUsage, IteratorScope, IteratorSetting,
    Mutation,
};
use crate::error::{ErrorKind, Result};
use crate::wire::{Call, interface as wire};
use crate::write::cells;

impl TableOperations<'_> {
    /// Returns the disk space of tables (`getDiskUsage`): the size in bytes for each set of tables
    /// that share files, as clones do. The call changes nothing and is
    /// [sent again](crate#sending-again). Its time limit is
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound) if one of the tables does not exist,
    /// [`Security`](ErrorKind::Security), [`Accumulo`](ErrorKind::Accumulo), and those of
    /// [every call](crate#errors).
    pub async fn disk_usage(
        &self,
        tables: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Vec<DiskUsage>> {
        let tables: BTreeSet<String> = tables.into_iter().map(Into::into).collect();
        let subject = Vec::from_iter(tables.iter().map(String::as_str)).join(", ");
        let subject = Some(subject.as_str());
        self.client.ask(subject, |token| wire::GetDiskUsage::new(token, tables)).await
    }

    /// Returns an iterator of a table in a scope, or `None` if there is none with this name
    /// (`getIteratorSetting`). A 1.x proxy fails if there is none, so this method also calls
    /// `listIterators`. Both are [sent again](crate#sending-again), each within
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout).
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
    /// calls `listNamespaceIterators`. Both are [sent again](crate#sending-again), each within
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout).
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

impl SecurityOperations<'_> {
    /// Checks whether a user may log in with these properties, which depend on the token class of
    /// the proxy (`authenticateUser`). The call changes nothing and is
    /// [sent again](crate#sending-again). Its time limit is
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout).
    ///
    /// # Errors
    ///
    /// [`Security`](ErrorKind::Security), [`Accumulo`](ErrorKind::Accumulo), and those of
    /// [every call](crate#errors).
    pub async fn authenticate_user_with(
        &self,
        user: &str,
        properties: BTreeMap<String, String>,
    ) -> Result<bool> {
        let request = |token| wire::AuthenticateUser::new(token, user.to_owned(), properties);
        self.client.ask(Some(user), request).await
    }
}

impl LowLevel<'_> {
    /// Writes each mutation whose conditions hold, and returns the outcome of each by row
    /// (`updateRowsConditionally`). [Sent once](crate#sending-again), within
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout).
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for two mutations of one row: a call can contain only one.
    /// [`HandleExpired`](ErrorKind::HandleExpired). If the proxy fails at one row, there are no
    /// outcomes but only the error, and any of the other rows may be written.
    pub async fn update_rows_conditionally(
        &self,
        writer: &ConditionalWriterHandle,
        mutations: &[ConditionalMutation],
    ) -> Result<BTreeMap<Bytes, ConditionalOutcome>> {
        type Request = wire::UpdateRowsConditionally;
        let subject = Some(writer.name());
        let by_row = mutations.iter().map(|mutation| (mutation.row.clone(), mutation.to_wire()));
        let by_row: BTreeMap<_, _> = by_row.collect();
        if by_row.len() < mutations.len() {
            let reason = "two of the mutations have the same row";
            return Err(self.client.error(ErrorKind::Invalid, Request::NAME, subject, reason));
        }
        let request = Request::new(writer.to_wire(), by_row);
        let statuses = self.client.call(subject, request).await?.into_iter();
        Ok(statuses.map(|(row, status)| (row, FromWire::from_wire(status, None))).collect())
    }

    /// Writes mutations directly (`updateAndFlush`). `Ok` means that they are written. All of them
    /// must fit in one request, and several mutations of one row are merged. [Sent
    /// once](crate#sending-again), within
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound),
    /// [`MutationsRejected`](ErrorKind::MutationsRejected) if a constraint was violated,
    /// [`TooLarge`](ErrorKind::TooLarge).
    pub async fn update_and_flush(&self, table: &str, mutations: &[Mutation]) -> Result<()> {
        self.client.update_and_flush(table, cells(mutations)).await
    }
}

/// Returns the setting of an iterator, or `None` if there is none with this name in this scope.
///
/// The 1.x proxy then fails with a null pointer, without a clear message, so the `list` of all
/// iterators decides.
async fn if_listed(
    setting: Result<Option<IteratorSetting>>,
    list: impl Future<Output = Result<BTreeMap<String, BTreeSet<IteratorScope>>>>,
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
