//! The names and types of what is in the file. `docs/storage-format.md` has the bytes.

use redb::TableDefinition;

/// The version of the format that this build writes and reads.
pub(crate) const FORMAT_VERSION: u64 = 1;

/// Numbers about the whole file, by name.
pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// The id of each table, by name. Ids are never used again.
pub(crate) const TABLES: TableDefinition<'_, &str, u64> = TableDefinition::new("tables");
/// The properties of all tables: table id and name of the property, to value.
pub(crate) const PROPERTIES: TableDefinition<'_, &[u8], &str> = TableDefinition::new("properties");
/// The tablets of all tables: table id and end row, to the count of stored entries.
pub(crate) const TABLETS: TableDefinition<'_, &[u8], u64> = TableDefinition::new("tablets");

/// What is stored of applications: path to bytes. There once there was an application.
pub(crate) const COORDINATION: TableDefinition<'_, &str, &[u8]> =
    TableDefinition::new("coordination");
/// The failed notifications of applications, by application and cell. There once there was one.
pub(crate) const SET_ASIDE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("set-aside");

/// Names in [`META`].
pub(crate) mod meta {
    /// [`FORMAT_VERSION`](super::FORMAT_VERSION) of the build that made the file.
    pub(crate) const FORMAT: &str = "format";
    /// How many servers are pretended.
    pub(crate) const SERVERS: &str = "servers";
    /// The id of the next table.
    pub(crate) const NEXT_TABLE_ID: &str = "next-table-id";
    /// The highest timestamp that the file has assigned, in milliseconds since 1970.
    pub(crate) const LAST_TIME_MS: &str = "last-time-ms";
}

/// The stored entries of a table: encoded key to value.
pub(crate) type CellsDefinition<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// The name under which the entries of a table are stored.
pub(crate) fn cells_name(table_id: u64) -> String {
    format!("cells-{table_id}")
}
