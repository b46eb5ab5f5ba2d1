//! Operations on tables.

use std::collections::BTreeSet;

use crate::client::ProxyClient;
use crate::convert::{ToWire, bytes_set};
use crate::data::{Bytes, TimeType};
use crate::error::Result;
use crate::wire::generated as wire;

/// Operations on tables: their life, split points, properties, iterators, compactions.
#[derive(Clone, Debug)]
pub struct TableOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Operations on tables.
    pub fn table_operations(&self) -> TableOperations<'_> {
        TableOperations { client: self }
    }
}

impl TableOperations<'_> {
    /// Creates a table; `versioning` keeps and shows one version of each column only.
    ///
    /// # Errors
    /// [`TableExists`](crate::ErrorKind::TableExists), [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound)..
    pub async fn create(&self, table: &str, versioning: bool, time: TimeType) -> Result<()> {
        let token = self.client.token().await?;
        let request =
            wire::CreateTableRequest::new(token, table.to_owned(), versioning, time.to_wire());
        self.client.call(Some(table), request).await
    }

    /// Adds split points; those that are there already stay.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn add_splits<'b>(
        &self,
        table: &str,
        splits: impl IntoIterator<Item = &'b Bytes>,
    ) -> Result<()> {
        let token = self.client.token().await?;
        let request = wire::AddSplitsRequest::new(token, table.to_owned(), bytes_set(splits));
        self.client.call(Some(table), request).await
    }

    /// The split points, sorted.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn list_splits(&self, table: &str, most: i32) -> Result<BTreeSet<Bytes>> {
        let token = self.client.token().await?;
        let request = wire::ListSplitsRequest::new(token, table.to_owned(), most);
        let splits = self.client.call(Some(table), request).await?;
        Ok(splits.into_iter().map(Bytes::from).collect())
    }
}
