//! The lifecycle of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::TableOperations;
use crate::convert::ToWire;
use crate::data::TimeType;
use crate::error::Result;
use crate::wire::interface as wire;

/// Options of [`clone_table`](TableOperations::clone_table).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::CloneOptions;
///
/// let mut options = CloneOptions::default();
/// options.set.insert("table.custom.origin".to_owned(), "pages".to_owned());
/// assert!(options.flush);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneOptions {
    /// `true` to flush the table first, so that the clone contains entries that are only in memory;
    /// `true` unless set.
    pub flush: bool,
    /// Properties that the clone gets in addition to those of the table. They override properties
    /// of the same name.
    pub set: BTreeMap<String, String>,
    /// Properties of the table that the clone does not get.
    pub exclude: BTreeSet<String>,
}

impl Default for CloneOptions {
    fn default() -> Self {
        Self {
            flush: true,
            set: BTreeMap::new(),
            exclude: BTreeSet::new(),
        }
    }
}

impl TableOperations<'_> {
    /// Creates a table (`createTable`). With `versioning` it keeps and shows only one version of
    /// each column.
    ///
    /// [Sent once](crate#sending-again). If the connection breaks, use [`exists`](Self::exists) to
    /// check the result.
    ///
    /// # Errors
    ///
    /// [`TableExists`](crate::ErrorKind::TableExists); [`Accumulo`](crate::ErrorKind::Accumulo) if
    /// the namespace does not exist.
    pub async fn create(&self, table: &str, versioning: bool, time: TimeType) -> Result<()> {
        let request = |token| {
            wire::CreateTableRequest::new(token, table.to_owned(), versioning, time.to_wire())
        };
        self.client.ask(Some(table), request).await
    }

    /// Returns the names of all tables (`listTables`), including those of the system
    /// (`accumulo.metadata`..).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn list(&self) -> Result<BTreeSet<String>> {
        self.client.ask(None, wire::ListTablesRequest::new).await
    }

    /// Checks whether a table exists (`tableExists`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn exists(&self, table: &str) -> Result<bool> {
        let request = |token| wire::TableExistsRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Returns the id of each table by its name (`tableIdMap`). A renamed table keeps its id, and
    /// `accumulo.metadata` identifies tables by id.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn id_map(&self) -> Result<BTreeMap<String, String>> {
        self.client.ask(None, wire::TableIdMapRequest::new).await
    }

    /// Renames a table within its namespace (`renameTable`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`TableExists`](crate::ErrorKind::TableExists).
    pub async fn rename(&self, table: &str, new_name: &str) -> Result<()> {
        let request =
            |token| wire::RenameTableRequest::new(token, table.to_owned(), new_name.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Creates another table with the same data, without copying it (`cloneTable`). The tables
    /// share files until one of them is compacted. [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`TableExists`](crate::ErrorKind::TableExists).
    pub async fn clone_table(
        &self,
        table: &str,
        new_table: &str,
        options: CloneOptions,
    ) -> Result<()> {
        let request = |token| {
            wire::CloneTableRequest::new(
                token,
                table.to_owned(),
                new_table.to_owned(),
                options.flush,
                options.set,
                options.exclude,
            )
        };
        self.client.ask(Some(table), request).await
    }

    /// Deletes a table with its data (`deleteTable`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn delete(&self, table: &str) -> Result<()> {
        let request = |token| wire::DeleteTableRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Takes a table offline (`offlineTable`): it cannot be read or written, and no server hosts
    /// its tablets. With `wait` it returns when that is done.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn offline(&self, table: &str, wait: bool) -> Result<()> {
        let request = |token| wire::OfflineTableRequest::new(token, table.to_owned(), wait);
        self.client.ask(Some(table), request).await
    }

    /// Brings a table online (`onlineTable`). With `wait` it returns when all tablets have a
    /// server.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn online(&self, table: &str, wait: bool) -> Result<()> {
        let request = |token| wire::OnlineTableRequest::new(token, table.to_owned(), wait);
        self.client.ask(Some(table), request).await
    }

    /// Clears the proxy's cache of the servers of a table's tablets (`clearLocatorCache`). The
    /// proxy locates the tablets again at the next read or write.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn clear_locator_cache(&self, table: &str) -> Result<()> {
        let request = |token| wire::ClearLocatorCacheRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Checks whether the servers can load *and instantiate* a class as `as_type`, on the class
    /// path of the table (`testTableClassLoad`).
    ///
    /// `false` does not mean that the class is missing. The servers create an instance of it, so
    /// the result is `false` for a usable class that has no public constructor without arguments.
    /// The balancer `RegexGroupBalancer` is such a class. To check whether the servers have it,
    /// test `TableLoadBalancer` of the same package as a `java.lang.Object`.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn test_class_load(&self, table: &str, class: &str, as_type: &str) -> Result<bool> {
        let request = |token| {
            let (class, as_type) = (class.to_owned(), as_type.to_owned());
            wire::TestTableClassLoadRequest::new(token, table.to_owned(), class, as_type)
        };
        self.client.ask(Some(table), request).await
    }
}
