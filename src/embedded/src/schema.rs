//! The names and types of the tables in the file. `docs/storage-format.md` describes their bytes.

use std::ops::{Bound, Range};

use redb::{
    Key, ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, TableError, Value,
};

use crate::error::Failure;

/// The version of the format that this build writes and reads.
pub(crate) const FORMAT_VERSION: u64 = 1;

/// Numbers of the whole file, by name.
pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// The id of each table, by name. Ids are never reused.
pub(crate) const TABLES: TableDefinition<'_, &str, u64> = TableDefinition::new("tables");
/// The properties of all tables: table id and property name to value.
pub(crate) const PROPERTIES: TableDefinition<'_, &[u8], &str> = TableDefinition::new("properties");
/// The tablets of all tables: table id and end row to the number of stored entries.
pub(crate) const TABLETS: TableDefinition<'_, &[u8], u64> = TableDefinition::new("tablets");

/// Application state: node path to bytes. The table is created with the first application.
pub(crate) const COORDINATION: TableDefinition<'_, &str, &[u8]> =
    TableDefinition::new("coordination");
/// The failed notifications of applications, by application and cell. The table is created with the
/// first one.
pub(crate) const DEAD_LETTERS: TableDefinition<'_, &[u8], &[u8]> =
    TableDefinition::new("set-aside");

pub(crate) mod meta {
    /// The [`FORMAT_VERSION`](super::FORMAT_VERSION) of the build that created the file.
    pub(crate) const FORMAT: &str = "format";
    pub(crate) const SERVERS: &str = "servers";
    pub(crate) const NEXT_TABLE_ID: &str = "next-table-id";
    /// The highest timestamp that the file has assigned, in milliseconds since 1970.
    pub(crate) const LAST_TIME_MS: &str = "last-time-ms";
}

/// The stored entries of a table: encoded key to value.
pub(crate) type CellsDefinition<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// The stored entries of a table, in a snapshot or in a write.
pub(crate) trait Cells: ReadableTable<&'static [u8], &'static [u8]> {
    /// Returns the entries from a key on, up to another one, exclusive.
    fn entries(&self, from: &[u8], end: Option<&[u8]>) -> redb::Result<Entries<'_>> {
        let end = end.map_or(Bound::Unbounded, Bound::Excluded);
        self.range::<&[u8]>((Bound::Included(from), end))
    }
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> Cells for T {}

pub(crate) type Entries<'a> = redb::Range<'a, &'static [u8], &'static [u8]>;

/// Opens a table of the engine, or returns `None` if it was never created.
pub(crate) fn open_if_created<K: Key, V: Value>(
    snapshot: &ReadTransaction,
    table: TableDefinition<'_, K, V>,
) -> Result<Option<ReadOnlyTable<K, V>>, Failure> {
    match snapshot.open_table(table) {
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        table => Ok(Some(table?)),
    }
}

/// Returns the name under which the entries of a table are stored.
pub(crate) fn cells_name(table_id: u64) -> String {
    format!("cells-{table_id}")
}

/// Returns the range of keys that belong to a table, if keys start with the id of their table.
pub(crate) fn keys_of(table_id: u64) -> Range<[u8; 8]> {
    table_id.to_be_bytes()..table_id.saturating_add(1).to_be_bytes()
}
