//! The admin port of naive tables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fluo_table::table::property;
use fluo_table::{
    Authorizations, Bytes, Error, ErrorKind, Garbage, Result, Span, Table, TableAdmin, Tablet,
    Tablets, Versions, check_table_name,
};

use super::NaiveTables;
use super::log::Log;
use super::table::NaiveTable;

impl NaiveTables {
    fn log(&self, name: &str) -> Result<Arc<Mutex<Log>>> {
        let found = self.tables.lock().unwrap().get(name).cloned();
        found.ok_or_else(|| Error::no_such_table(name))
    }

    fn with_log<T>(&self, name: &str, answer: impl FnOnce(&mut Log) -> T) -> Result<T> {
        Ok(answer(&mut self.log(name)?.lock().unwrap()))
    }
}

#[async_trait]
impl TableAdmin for NaiveTables {
    async fn tables(&self) -> Result<Vec<String>> {
        Ok(self.tables.lock().unwrap().keys().cloned().collect())
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        check_table_name(name)?;
        let mut tables = self.tables.lock().unwrap();
        if tables.contains_key(name) {
            return Err(Error::new(ErrorKind::AlreadyExists, "there is one"));
        }
        tables.insert(name.to_owned(), Arc::new(Mutex::new(Log::new(versions))));
        Ok(())
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        self.with_log(name, |log| log.is_deleted = true)?;
        self.tables.lock().unwrap().remove(name);
        Ok(())
    }

    async fn open_table(&self, name: &str, held: Authorizations) -> Result<Arc<dyn Table>> {
        let log = self.log(name)?;
        let name = name.to_owned();
        Ok(Arc::new(NaiveTable { name, log, held }))
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.with_log(name, |log| log.splits.iter().cloned().collect())
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        let log = self.log(name)?;
        if splits.contains(&b""[..]) {
            return Err(Error::invalid("an empty split point"));
        }
        log.lock().unwrap().splits.extend(splits.iter().cloned());
        Ok(())
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        self.with_log(name, |log| {
            let all = std::mem::take(&mut log.splits);
            for split in all {
                let is_after_start = start.is_none_or(|start| start < &split[..]);
                let is_before_end = end.is_none_or(|end| &split[..] < end);
                if !(is_after_start && is_before_end) {
                    log.splits.insert(split);
                }
            }
        })
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.with_log(name, |log| log.properties.clone())
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.with_log(name, |_| BTreeMap::new())
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        let log = self.log(name)?;
        property::check(property)?;
        let (property, value) = (property.to_owned(), value.to_owned());
        log.lock().unwrap().properties.insert(property, value);
        Ok(())
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        let log = self.log(name)?;
        property::check(property)?;
        log.lock().unwrap().properties.remove(property);
        Ok(())
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.with_log(name, |_| ())
    }

    async fn compact(&self, name: &str, _span: &Span, _garbage: Garbage) -> Result<()> {
        self.with_log(name, Log::compact)
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        self.with_log(name, |log| {
            let ends = log.splits.iter().cloned().map(Some).chain([None]);
            let starts = [None].into_iter().chain(log.splits.iter().map(|split| Some(&split[..])));
            let tablet = |(start, end_row): (Option<&[u8]>, Option<Bytes>)| {
                let count = log.count(&Span::tablet(start, end_row.as_deref()));
                let entries = u64::try_from(count).unwrap();
                Tablet { end_row, server: None, entries }
            };
            Tablets::new(starts.zip(ends).map(tablet).collect())
        })
    }

    async fn servers(&self) -> Result<Vec<String>> {
        Ok(vec![])
    }

    async fn can_load(&self, name: &str, class: &str, _as_type: &str) -> Result<bool> {
        self.with_log(name, |_| class == "org.apache.accumulo.core.spi.balancer.TableLoadBalancer")
    }

    async fn check_transactions(&self, table: Option<&str>) -> Result<()> {
        table.map_or(Ok(()), |table| self.with_log(table, |_| ()))
    }

    async fn class_path(&self, _name: &str) -> Result<Option<String>> {
        Ok(None)
    }

    async fn set_class_path(&self, _name: &str, _jars: Option<&str>) -> Result<()> {
        Err(Error::no_class_paths())
    }
}
