//! Names, ids and properties of the tables.

use std::collections::BTreeMap;

use fluo_table::{Error, ErrorKind, Versions};
use redb::{ReadTransaction, ReadableTable, WriteTransaction};

use crate::error::Failure;
use crate::schema::{
    CellsDefinition, META, PROPERTIES, TABLES, TABLETS, cells_name, keys_of, meta,
};
use crate::tablets;

pub(crate) fn names(snapshot: &ReadTransaction) -> Result<Vec<String>, Failure> {
    let tables = snapshot.open_table(TABLES)?;
    let names = tables.iter()?.map(|entry| Ok(entry?.0.value().to_owned()));
    names.collect()
}

pub(crate) fn id_of(
    tables: &impl ReadableTable<&'static str, u64>,
    name: &str,
) -> Result<u64, Failure> {
    let id = tables.get(name)?.map(|id| id.value());
    id.ok_or_else(|| Error::no_such_table(name).into())
}

pub(crate) fn id_in(snapshot: &ReadTransaction, name: &str) -> Result<u64, Failure> {
    id_of(&snapshot.open_table(TABLES)?, name)
}

pub(crate) fn properties(
    properties: &impl ReadableTable<&'static [u8], &'static str>,
    table_id: u64,
) -> Result<BTreeMap<String, String>, Failure> {
    let keys = keys_of(table_id);
    let range = properties.range::<&[u8]>(keys.start.as_slice()..keys.end.as_slice())?;
    let entry = |entry: redb::Result<(redb::AccessGuard<'_, _>, redb::AccessGuard<'_, _>)>| {
        let (key, value) = entry?;
        let key: &[u8] = key.value();
        let name = key.get(8..).and_then(|name| std::str::from_utf8(name).ok());
        let name = name.ok_or_else(|| Failure::damaged("the name of a property is not text"))?;
        Ok((name.to_owned(), str::to_owned(value.value())))
    };
    range.map(entry).collect()
}

pub(crate) fn put_property(
    transaction: &WriteTransaction,
    table_id: u64,
    name: &str,
    value: Option<&str>,
) -> Result<(), Failure> {
    let mut properties = transaction.open_table(PROPERTIES)?;
    let key = [&table_id.to_be_bytes(), name.as_bytes()].concat();
    match value {
        Some(value) => properties.insert(key.as_slice(), value)?,
        None => properties.remove(key.as_slice())?,
    };
    Ok(())
}

pub(crate) fn create(
    transaction: &WriteTransaction,
    name: &str,
    versions: Versions,
) -> Result<(), Failure> {
    let mut tables = transaction.open_table(TABLES)?;
    if tables.get(name)?.is_some() {
        let message = format!("the table `{name}` already exists");
        return Err(Error::new(ErrorKind::AlreadyExists, message).into());
    }
    let id = next_id(transaction)?;
    tables.insert(name, id)?;
    for (property, value) in versions.to_properties() {
        put_property(transaction, id, &property, Some(&value))?;
    }
    tablets::create(&mut transaction.open_table(TABLETS)?, id)?;
    transaction.open_table(CellsDefinition::new(&cells_name(id)))?;
    Ok(())
}

fn next_id(transaction: &WriteTransaction) -> Result<u64, Failure> {
    let mut numbers = transaction.open_table(META)?;
    let id = numbers.get(meta::NEXT_TABLE_ID)?.map(|id| id.value());
    let id = id.ok_or_else(|| Failure::damaged("the number of the next table is missing"))?;
    numbers.insert(meta::NEXT_TABLE_ID, id.saturating_add(1))?;
    Ok(id)
}

pub(crate) fn delete(transaction: &WriteTransaction, name: &str) -> Result<(), Failure> {
    let mut tables = transaction.open_table(TABLES)?;
    let id = id_of(&tables, name)?;
    tables.remove(name)?;
    let keys = keys_of(id);
    let range = || keys.start.as_slice()..keys.end.as_slice();
    transaction.open_table(PROPERTIES)?.retain_in::<&[u8], _>(range(), |_, _| false)?;
    transaction.open_table(TABLETS)?.retain_in::<&[u8], _>(range(), |_, _| false)?;
    transaction.delete_table(CellsDefinition::new(&cells_name(id)))?;
    Ok(())
}
