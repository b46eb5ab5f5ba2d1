//! The admin port: [`MemoryTables`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::store::Store;
use super::table::MemoryTable;
use crate::balancer::{simulated_server_name, simulated_tablets, simulates_class};
use crate::clock::{Clock, SystemClock};
use crate::data::{Authorizations, Bytes, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::locked::locked;
use crate::table::{
    Garbage, Table, TableAdmin, Tablets, Versions, check_split_points, check_table_name, property,
};

/// Tables in memory. A clone shares them.
#[derive(Clone, Debug)]
pub struct MemoryTables {
    tables: Arc<Mutex<BTreeMap<String, Arc<Mutex<Store>>>>>,
    clock: Arc<dyn Clock>,
    servers: usize,
}

impl Default for MemoryTables {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryTables {
    /// Creates an instance without tables, with the system's clock and two simulated servers.
    pub fn new() -> Self {
        Self::with(Arc::new(SystemClock), 2)
    }

    /// Creates an instance without tables, with a clock and a number of simulated servers.
    pub fn with(clock: Arc<dyn Clock>, servers: usize) -> Self {
        Self { tables: Arc::default(), clock, servers }
    }

    fn store(&self, name: &str) -> Result<Arc<Mutex<Store>>> {
        locked(&self.tables).get(name).cloned().ok_or_else(|| Error::no_such_table(name))
    }

    fn with_store<T>(&self, name: &str, use_store: impl FnOnce(&mut Store) -> T) -> Result<T> {
        Ok(use_store(&mut locked(&*self.store(name)?)))
    }
}

#[async_trait]
impl TableAdmin for MemoryTables {
    async fn tables(&self) -> Result<Vec<String>> {
        Ok(locked(&self.tables).keys().cloned().collect())
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        check_table_name(name)?;
        let mut tables = locked(&self.tables);
        if tables.contains_key(name) {
            let message = format!("the table `{name}` already exists");
            return Err(Error::new(ErrorKind::AlreadyExists, message));
        }
        tables.insert(name.to_owned(), Arc::new(Mutex::new(Store::new(versions))));
        Ok(())
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        let removed =
            locked(&self.tables).remove(name).ok_or_else(|| Error::no_such_table(name))?;
        locked(&removed).delete();
        Ok(())
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        let store = self.store(name)?;
        let clock = self.clock.clone();
        Ok(Arc::new(MemoryTable { name: name.to_owned(), store, authorizations, clock }))
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.with_store(name, |store| store.splits.iter().cloned().collect())
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        let store = self.store(name)?;
        check_split_points(splits)?;
        locked(&store).splits.extend(splits.iter().cloned());
        Ok(())
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        let is_between = |split: &Bytes| {
            start.is_none_or(|start| split.as_ref() > start)
                && end.is_none_or(|end| split.as_ref() < end)
        };
        self.with_store(name, |store| {
            store.splits.retain(|split| !is_between(split));
        })
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.with_store(name, |store| store.properties.clone())
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.with_store(name, |_| BTreeMap::new())
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        let store = self.store(name)?;
        property::check(property)?;
        locked(&store).properties.insert(property.to_owned(), value.to_owned());
        Ok(())
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        let store = self.store(name)?;
        property::check(property)?;
        locked(&store).properties.remove(property);
        Ok(())
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.with_store(name, |_| ())
    }

    /// Rewrites the whole table, whatever the span: the contract allows it, and it is simpler.
    async fn compact(&self, name: &str, _span: &Span, garbage: Garbage) -> Result<()> {
        self.with_store(name, |store| store.compact(garbage))
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        self.with_store(name, |store| {
            let splits = || store.splits.iter().map(|split| Some(&split[..]));
            let tablets = [None].into_iter().chain(splits()).zip(splits().chain([None]));
            let counted = tablets.map(|(previous, end_row)| {
                let count = store.count(&Span::tablet(previous, end_row));
                (end_row.map(Bytes::copy_from_slice), count)
            });
            simulated_tablets(counted.collect(), &store.properties, self.servers)
        })
    }

    async fn servers(&self) -> Result<Vec<String>> {
        Ok((0..self.servers).map(simulated_server_name).collect())
    }

    async fn can_load(&self, name: &str, class: &str, _as_type: &str) -> Result<bool> {
        self.with_store(name, |_| simulates_class(class))
    }

    async fn check_transactions(&self, table: Option<&str>) -> Result<()> {
        table.map_or(Ok(()), |table| self.with_store(table, |_| ()))
    }

    async fn class_path(&self, _name: &str) -> Result<Option<String>> {
        Ok(None)
    }

    async fn set_class_path(&self, _name: &str, _jars: Option<&str>) -> Result<()> {
        Err(Error::no_class_paths())
    }
}
