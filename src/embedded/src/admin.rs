//! The admin port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fluo_table::balancer::{simulated_server_name, simulated_tablets, simulates_class};
use fluo_table::table::{check_split_points, property};
use fluo_table::{
    Authorizations, Bytes, Error, Garbage, Result, Span, Table, TableAdmin, Tablets, Versions,
    check_table_name,
};

use crate::catalog;
use crate::compaction;
use crate::engine::{Snapshot, Transaction};
use crate::error::Failure;
use crate::scan::off_the_runtime;
use crate::table::EmbeddedTable;
use crate::tables::EmbeddedTables;
use crate::tablets;
use crate::writer::{TableRef, Verdict};

impl EmbeddedTables {
    async fn read<T: Send + 'static>(
        &self,
        name: &str,
        read: impl FnOnce(&Snapshot, u64) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let (store, name) = (self.shared.store.clone(), name.to_owned());
        off_the_runtime(move || {
            store.read(|snapshot| read(snapshot, catalog::id_of(snapshot, &name)?))
        })
        .await
    }

    async fn change(
        &self,
        name: &str,
        change: impl FnOnce(&mut Transaction<'_>, u64) -> Result<(), Failure> + Send + 'static,
    ) -> Result<()> {
        let name = name.to_owned();
        self.commit(move |transaction| {
            let id = catalog::id_of(transaction, &name)?;
            change(transaction, id)
        })
        .await
    }

    async fn commit(
        &self,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<()> {
        self.shared.writer.change(|transaction| job(transaction).map(Verdict::Commit)).await
    }

    async fn put_property(&self, name: &str, property: &str, value: Option<&str>) -> Result<()> {
        let (property, value) = (property.to_owned(), value.map(str::to_owned));
        self.change(name, move |transaction, id| {
            property::check(&property)?;
            catalog::put_property(transaction, id, &property, value.as_deref())
        })
        .await
    }
}

#[async_trait]
impl TableAdmin for EmbeddedTables {
    async fn tables(&self) -> Result<Vec<String>> {
        self.shared.store.read(catalog::names)
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        check_table_name(name)?;
        let name = name.to_owned();
        self.commit(move |transaction| catalog::create(transaction, &name, versions)).await
    }

    /// Deletes a table. The space of its entries is free once the last running scan of it has
    /// ended, and the engine has removed the logs with entries of it.
    async fn delete_table(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.commit(move |transaction| catalog::delete(transaction, &name)).await
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        let id = self.shared.store.read(|snapshot| catalog::id_of(snapshot, name))?;
        Ok(Arc::new(EmbeddedTable {
            shared: self.shared.clone(),
            table: TableRef { id, name: name.into() },
            authorizations: Arc::new(authorizations),
            versions: Mutex::default(),
        }))
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.read(name, |snapshot, id| {
            let tablets = tablets::list(snapshot, id)?;
            Ok(tablets.into_iter().filter_map(|(end, _)| end).collect())
        })
        .await
    }

    /// Adds split points in one step of the writer. Splitting a tablet that has entries counts the
    /// entries up to the last new split point in it, while other writes to the directory wait. So
    /// split a table while it is empty.
    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        let splits = splits.clone();
        self.change(name, move |transaction, id| {
            check_split_points(&splits)?;
            tablets::split(transaction, id, &splits)
        })
        .await
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        let (start, end) = (start.map(<[u8]>::to_vec), end.map(<[u8]>::to_vec));
        self.change(name, move |transaction, id| {
            tablets::merge(transaction, id, start.as_deref(), end.as_deref())
        })
        .await
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.read(name, catalog::properties).await
    }

    /// Returns no properties: there are no defaults here.
    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.read(name, |_, _| Ok(BTreeMap::new())).await
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        self.put_property(name, property, Some(value)).await
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        self.put_property(name, property, None).await
    }

    /// Checks only whether the table exists: acknowledged data is already durable and counted.
    async fn flush(&self, name: &str) -> Result<()> {
        self.read(name, |_, _| Ok(())).await
    }

    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()> {
        let id = self.shared.store.read(|snapshot| catalog::id_of(snapshot, name))?;
        compaction::run(&self.shared, name, id, span, garbage).await
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        let servers = self.shared.servers;
        self.read(name, move |snapshot, id| {
            let properties = catalog::properties(snapshot, id)?;
            let counted = tablets::list(snapshot, id)?;
            Ok(simulated_tablets(counted, &properties, servers))
        })
        .await
    }

    async fn servers(&self) -> Result<Vec<String>> {
        Ok((0..self.shared.servers).map(simulated_server_name).collect())
    }

    /// Returns true for the class that tells the package of the group balancer, as a real server
    /// does, and false for the group balancer itself, which cannot be created without arguments.
    async fn can_load(&self, name: &str, class: &str, _as_type: &str) -> Result<bool> {
        let class = class.to_owned();
        self.read(name, move |_, _| Ok(simulates_class(&class))).await
    }

    async fn check_transactions(&self, table: Option<&str>) -> Result<()> {
        match table {
            Some(table) => self.read(table, |_, _| Ok(())).await,
            None => Ok(()),
        }
    }

    async fn class_path(&self, _name: &str) -> Result<Option<String>> {
        Ok(None)
    }

    async fn set_class_path(&self, _name: &str, _jars: Option<&str>) -> Result<()> {
        Err(Error::no_class_paths())
    }
}
