//! Numbers of the directory, and names, ids and properties of the tables.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{Error, ErrorKind, Versions};

use crate::engine::{Read, Slice, Snapshot, Transaction, keys_of, number as decode_number};
use crate::error::Failure;
use crate::tablets;

/// The version of the format of the build that created the directory.
pub(crate) const FORMAT: &str = "format";
pub(crate) const SERVERS: &str = "servers";
pub(crate) const NEXT_TABLE_ID: &str = "next-table-id";
/// The highest timestamp that the directory has assigned, in milliseconds since 1970.
pub(crate) const LAST_TIME_MS: &str = "last-time-ms";
/// The highest timestamp below 2^61 that a write brought.
pub(crate) const MAX_EXPLICIT: &str = "max-explicit";
/// The number of commits.
pub(crate) const COMMITS: &str = "commits";

pub(crate) fn number(read: &impl Read, name: &str) -> Result<u64, Failure> {
    let number = read.number(&read.maps().meta, name.as_bytes())?;
    number.ok_or_else(|| Failure::damaged(format_args!("the number `{name}` is missing")))
}

pub(crate) fn put_number(
    transaction: &mut Transaction<'_>,
    name: &str,
    number: u64,
) -> Result<(), Failure> {
    transaction.insert_number(&transaction.engine_maps().meta, name.as_bytes(), number)
}

pub(crate) fn names(snapshot: &Snapshot) -> Result<Vec<String>, Failure> {
    let tables = snapshot.all(&snapshot.maps().tables);
    tables.map(|table| text(&table?.0, "the name of a table").map(str::to_owned)).collect()
}

pub(crate) fn ids(snapshot: &Snapshot) -> Result<BTreeSet<u64>, Failure> {
    let tables = snapshot.all(&snapshot.maps().tables);
    tables.map(|table| decode_number(&table?.1)).collect()
}

/// Returns the names of the tables by their ids: each id is used once, and none will be used again.
pub(crate) fn names_by_id(snapshot: &Snapshot) -> Result<BTreeMap<u64, String>, Failure> {
    let next = number(snapshot, NEXT_TABLE_ID)?;
    let mut names = BTreeMap::new();
    for table in snapshot.all(&snapshot.maps().tables) {
        let (name, id) = table?;
        let (name, id) = (text(&name, "the name of a table")?, decode_number(&id)?);
        if id >= next {
            return Err(Failure::damaged(format_args!(
                "table `{name}` has the id {id}, and the next table would have {next}"
            )));
        }
        if names.insert(id, name.to_owned()).is_some() {
            return Err(Failure::damaged(format_args!("two tables have the id {id}")));
        }
    }
    Ok(names)
}

pub(crate) fn id_of(read: &impl Read, name: &str) -> Result<u64, Failure> {
    let id = read.number(&read.maps().tables, name.as_bytes())?;
    id.ok_or_else(|| Error::no_such_table(name).into())
}

pub(crate) fn properties(
    read: &impl Read,
    table_id: u64,
) -> Result<BTreeMap<String, String>, Failure> {
    let keys = keys_of(table_id);
    let properties = read.entries(&read.maps().properties, &keys.start, Some(&keys.end));
    let property = |entry: Result<(Slice, Slice), Failure>| {
        let (key, value) = entry?;
        let name = text(key.get(8..).unwrap_or_default(), "the name of a property")?;
        Ok((name.to_owned(), text(&value, "the value of a property")?.to_owned()))
    };
    properties.map(property).collect()
}

fn text<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, Failure> {
    std::str::from_utf8(bytes).map_err(|_| Failure::damaged(format_args!("{what} is not text")))
}

pub(crate) fn put_property(
    transaction: &mut Transaction<'_>,
    table_id: u64,
    name: &str,
    value: Option<&str>,
) -> Result<(), Failure> {
    let properties = &transaction.engine_maps().properties;
    let key = [&table_id.to_be_bytes(), name.as_bytes()].concat();
    match value {
        Some(value) => transaction.insert(properties, &key, value.as_bytes())?,
        None => transaction.remove(properties, &key),
    }
    Ok(())
}

pub(crate) fn create(
    transaction: &mut Transaction<'_>,
    name: &str,
    versions: Versions,
) -> Result<(), Failure> {
    let tables = &transaction.engine_maps().tables;
    if transaction.contains(tables, name.as_bytes())? {
        let message = format!("the table `{name}` already exists");
        return Err(Error::new(ErrorKind::AlreadyExists, message).into());
    }
    let id = number(transaction, NEXT_TABLE_ID)?;
    put_number(transaction, NEXT_TABLE_ID, id.saturating_add(1))?;
    transaction.insert_number(tables, name.as_bytes(), id)?;
    for (property, value) in versions.to_properties() {
        put_property(transaction, id, &property, Some(&value))?;
    }
    tablets::create(transaction, id)?;
    transaction.create_cells(id)
}

pub(crate) fn delete(transaction: &mut Transaction<'_>, name: &str) -> Result<(), Failure> {
    let id = id_of(transaction, name)?;
    let (maps, keys) = (transaction.engine_maps(), keys_of(id));
    transaction.remove(&maps.tables, name.as_bytes());
    transaction.remove_range(&maps.properties, &keys.start, &keys.end)?;
    transaction.remove_range(&maps.tablets, &keys.start, &keys.end)?;
    transaction.delete_cells(id);
    Ok(())
}
