//! The log of a transaction: [`TxLog`].

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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TxLog {
    pub(super) entries: Vec<LogEntry>,
}

impl TxLog {
    /// All entries.
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Checks whether the log has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the cells that were read, with the values that the reads returned.
    pub fn gets(&self) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        self.values_of(Operation::Get)
    }

    /// Returns the cells that were set, with their new values. Collect them into a map for the last
    /// value of each cell.
    pub fn sets(&self) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        self.values_of(Operation::Set)
    }

    /// Returns the cells that were deleted.
    pub fn deletes(&self) -> impl Iterator<Item = &RowColumn> {
        let deletes = |entry: &&LogEntry| entry.operation() == Operation::Delete;
        self.entries.iter().filter(deletes).map(LogEntry::cell)
    }

    fn values_of(&self, operation: Operation) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        let entries = self.entries.iter();
        entries
            .filter(move |entry| entry.operation() == operation)
            .filter_map(|entry| Some((entry.cell(), entry.value()?)))
    }
}

impl FromIterator<LogEntry> for TxLog {
    fn from_iter<I: IntoIterator<Item = LogEntry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}
