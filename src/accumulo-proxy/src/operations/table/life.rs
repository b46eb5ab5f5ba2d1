//! The life of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::TableOperations;
use crate::convert::ToWire;
use crate::data::TimeType;
use crate::error::Result;
use crate::wire::generated as wire;

/// How a table is cloned.
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
    /// Whether the table is flushed first, so that the clone has what is only in memory; true unless set.
    pub flush: bool,
    /// Properties that the clone has on top of those of the table, or instead.
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
    /// Creates a table (`createTable`); `versioning` keeps and shows one version of each column only.
    ///
    /// [Sent once](crate#sending-again): where it broke, [`exists`](Self::exists) tells.
    ///
    /// # Errors
    /// [`TableExists`](crate::ErrorKind::TableExists); [`Accumulo`](crate::ErrorKind::Accumulo) where the namespace
    /// does not exist.
    pub async fn create(&self, table: &str, versioning: bool, time: TimeType) -> Result<()> {
        let request = |token| {
            wire::CreateTableRequest::new(token, table.to_owned(), versioning, time.to_wire())
        };
        self.client.ask(Some(table), request).await
    }

    /// The names of all tables (`listTables`), those of the system (`accumulo.metadata`..) included.
    ///
    /// # Errors
    /// Those of [every call](crate#errors).
    pub async fn list(&self) -> Result<BTreeSet<String>> {
        self.client.ask(None, wire::ListTablesRequest::new).await
    }

    /// Whether there is such a table (`tableExists`).
    ///
    /// # Errors
    /// Those of [every call](crate#errors).
    pub async fn exists(&self, table: &str) -> Result<bool> {
        let request = |token| wire::TableExistsRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// The id of each table by its name (`tableIdMap`). A table keeps its id when it is renamed, and
    /// `accumulo.metadata` goes by ids.
    ///
    /// # Errors
    /// Those of [every call](crate#errors).
    pub async fn id_map(&self) -> Result<BTreeMap<String, String>> {
        self.client.ask(None, wire::TableIdMapRequest::new).await
    }

    /// Renames a table within its namespace (`renameTable`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`TableExists`](crate::ErrorKind::TableExists).
    pub async fn rename(&self, table: &str, new_name: &str) -> Result<()> {
        let request =
            |token| wire::RenameTableRequest::new(token, table.to_owned(), new_name.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Makes another table of the same data, without copying it (`cloneTable`): they share files until one of them
    /// is compacted. [Sent once](crate#sending-again).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`TableExists`](crate::ErrorKind::TableExists).
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
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn delete(&self, table: &str) -> Result<()> {
        let request = |token| wire::DeleteTableRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Takes a table offline (`offlineTable`): nobody reads or writes it, and no server holds its tablets. With `wait`
    /// it returns when that is so.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn offline(&self, table: &str, wait: bool) -> Result<()> {
        let request = |token| wire::OfflineTableRequest::new(token, table.to_owned(), wait);
        self.client.ask(Some(table), request).await
    }

    /// Takes a table online (`onlineTable`); with `wait` it returns when all tablets have a server.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn online(&self, table: &str, wait: bool) -> Result<()> {
        let request = |token| wire::OnlineTableRequest::new(token, table.to_owned(), wait);
        self.client.ask(Some(table), request).await
    }

    /// Makes the proxy forget which server holds which tablet of a table (`clearLocatorCache`). It finds out again at
    /// the next read or write.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn clear_locator_cache(&self, table: &str) -> Result<()> {
        let request = |token| wire::ClearLocatorCacheRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Whether the servers can load *and instantiate* a class as `as_type`, on the class path of the table
    /// (`testTableClassLoad`).
    ///
    /// False does not mean that the class is not there: the servers make an instance of it, so a class without a
    /// public constructor that takes nothing gives false although it works. The balancer `RegexGroupBalancer` is
    /// one of them. To find out whether the servers have it, ask for `TableLoadBalancer` of the same package, as a
    /// `java.lang.Object`.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn test_class_load(&self, table: &str, class: &str, as_type: &str) -> Result<bool> {
        let request = |token| {
            let (class, as_type) = (class.to_owned(), as_type.to_owned());
            wire::TestTableClassLoadRequest::new(token, table.to_owned(), class, as_type)
        };
        self.client.ask(Some(table), request).await
    }
}
