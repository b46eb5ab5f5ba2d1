//! The log of a transaction: [`TxLog`].

use std::collections::BTreeMap;

use fluo_engine::{Bytes, RowColumn};
use serde::{Deserialize, Serialize};

use super::{LogEntry, Operation};

/// The operations of a transaction, in the order in which they succeeded.
///
/// # Serialized form
///
/// A log is a structure with one field, `entries`. An entry is a structure of six fields, in this
/// order: `operation` (`get`, `set` or `delete`), `row`, `family`, `qualifier`, `visibility`, and
/// `value`, which is null for a delete. In JSON and other formats for people, bytes are text in
/// base64 with padding. In binary formats they are bytes. The names and their order do not change.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, RowColumn};
/// use fluo_recipes::recording::{LogEntry, TxLog};
///
/// # fn main() -> serde_json::Result<()> {
/// let cell = RowColumn::new("r1", Column::new("cf1", "cq1"));
/// let log = TxLog::from_iter([LogEntry::for_set(cell.clone(), "v1")]);
/// let json = r#"{"entries":[{"operation":"set","row":"cjE=","family":"Y2Yx","qualifier":"Y3Ex","visibility":"","value":"djE="}]}"#;
/// assert_eq!(serde_json::to_string(&log)?, json);
/// assert_eq!(serde_json::from_str::<TxLog>(json)?, log);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TxLog {
    entries: Vec<LogEntry>,
}

impl TxLog {
    /// Creates an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all entries.
    #[must_use]
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Checks whether the log has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the cells that were read, with the values that the reads returned.
    pub fn gets(&self) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        self.values_of(Operation::Get)
    }

    /// Returns the cells that were set, with their new values.
    pub fn sets(&self) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        self.values_of(Operation::Set)
    }

    /// Returns the cells that were deleted.
    pub fn deletes(&self) -> impl Iterator<Item = &RowColumn> {
        let deletes = |entry: &&LogEntry| entry.operation() == Operation::Delete;
        self.entries.iter().filter(deletes).map(LogEntry::cell)
    }

    /// Returns the last value that was read of each cell.
    #[must_use]
    pub fn last_values_read(&self) -> BTreeMap<RowColumn, Bytes> {
        owned(self.gets())
    }

    /// Returns the last value that was set of each cell. It includes cells that were deleted later,
    /// which is possible in a log of several transactions.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_engine::{Column, RowColumn};
    /// use fluo_recipes::recording::{LogEntry, TxLog};
    ///
    /// let cell = RowColumn::new("r1", Column::new("cf1", ""));
    /// let mut log = TxLog::new();
    /// log.extend([LogEntry::for_set(cell.clone(), "v1"), LogEntry::for_set(cell.clone(), "v2")]);
    /// assert_eq!(log.sets().count(), 2);
    /// assert_eq!(log.last_values_set(), [(cell, "v2".into())].into());
    /// ```
    #[must_use]
    pub fn last_values_set(&self) -> BTreeMap<RowColumn, Bytes> {
        owned(self.sets())
    }

    fn values_of(&self, operation: Operation) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        let entries = self.entries.iter();
        entries
            .filter(move |entry| entry.operation() == operation)
            .filter_map(|entry| Some((entry.cell(), entry.value()?)))
    }
}

/// Copies cells and values; of each cell the last value is kept.
fn owned<'a>(
    values: impl Iterator<Item = (&'a RowColumn, &'a Bytes)>,
) -> BTreeMap<RowColumn, Bytes> {
    values.map(|(cell, value)| (cell.clone(), value.clone())).collect()
}

/// Adds the entries at the end of the log.
impl Extend<LogEntry> for TxLog {
    fn extend<I: IntoIterator<Item = LogEntry>>(&mut self, entries: I) {
        self.entries.extend(entries);
    }
}

impl FromIterator<LogEntry> for TxLog {
    fn from_iter<I: IntoIterator<Item = LogEntry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

impl<'a> IntoIterator for &'a TxLog {
    type Item = &'a LogEntry;
    type IntoIter = std::slice::Iter<'a, LogEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}
