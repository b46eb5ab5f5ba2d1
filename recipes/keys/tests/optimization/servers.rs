//! Tables in memory whose loadable classes, tablet placement and inherited properties a test sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::balancer::group_balancers;
use fluo_table::{
    Authorizations, Bytes, Error, ErrorKind, Garbage, MemoryTables, Result, Span, Table,
    TableAdmin, Tablet, Tablets, Versions,
};

/// Tables in memory on simulated servers.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(crate) tables: MemoryTables,
    /// The classes that the servers can load.
    pub(crate) loaded: Vec<String>,
    /// The index of each tablet's server, in order; `None` for a tablet without a server. Later
    /// tablets keep the placement of `tables`.
    pub(crate) placed: Vec<Option<usize>>,
    /// The properties that each table inherits from the instance unless it sets them itself.
    pub(crate) inherited: BTreeMap<String, String>,
    /// The property that cannot be set.
    pub(crate) refused: Option<&'static str>,
    /// `true` if no table can be read.
    pub(crate) is_unreadable: bool,
}

impl Servers {
    /// Creates servers that load the group balancers and place tablets as the tables do.
    pub(crate) fn over(tables: MemoryTables) -> Self {
        Self {
            tables,
            loaded: probes(),
            placed: Vec::new(),
            inherited: BTreeMap::new(),
            refused: None,
            is_unreadable: false,
        }
    }
}

/// Returns the classes by which servers with a group balancer are recognized.
pub(crate) fn probes() -> Vec<String> {
    group_balancers().map(|(probe, _)| probe).collect()
}

#[async_trait]
impl TableAdmin for Servers {
    async fn tables(&self) -> Result<Vec<String>> {
        self.tables.tables().await
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        self.tables.create_table(name, versions).await
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        self.tables.delete_table(name).await
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        if self.is_unreadable {
            return Err(Error::new(ErrorKind::Denied, "the user lacks READ"));
        }
        self.tables.open_table(name, authorizations).await
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.tables.splits(name).await
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        self.tables.add_splits(name, splits).await
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        self.tables.merge(name, start, end).await
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        let mut all = self.inherited.clone();
        all.extend(self.tables.properties(name).await?);
        Ok(all)
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.tables.inherited_properties(name).await?;
        Ok(self.inherited.clone())
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        match self.refused {
            Some(refused) if refused == property => {
                Err(Error::new(ErrorKind::Denied, "it may not be set"))
            }
            _ => self.tables.set_property(name, property, value).await,
        }
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        self.tables.remove_property(name, property).await
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.tables.flush(name).await
    }

    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()> {
        self.tables.compact(name, span, garbage).await
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        let servers = self.servers().await?;
        let tablets = self.tables.tablets(name).await?;
        let placed = self.placed.iter().map(Some).chain(std::iter::repeat(None));
        let tablet = |(tablet, place): (&Tablet, Option<&Option<usize>>)| match place {
            None => tablet.clone(),
            Some(place) => {
                Tablet { server: place.map(|index| servers[index].clone()), ..tablet.clone() }
            }
        };
        Ok(Tablets::new(tablets.as_slice().iter().zip(placed).map(tablet).collect()))
    }

    async fn servers(&self) -> Result<Vec<String>> {
        self.tables.servers().await
    }

    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool> {
        self.tables.can_load(name, class, as_type).await?;
        Ok(self.loaded.iter().any(|loaded| loaded == class))
    }

    async fn check_transactions(&self, table: Option<&str>) -> Result<()> {
        self.tables.check_transactions(table).await
    }

    async fn class_path(&self, name: &str) -> Result<Option<String>> {
        self.tables.class_path(name).await
    }

    async fn set_class_path(&self, name: &str, jars: Option<&str>) -> Result<()> {
        self.tables.set_class_path(name, jars).await
    }
}
