//! One logged operation: [`LogEntry`].

use std::fmt;

use fluo_engine::{Bytes, RowColumn};
use fluo_table::Escaped;
use serde::{Deserialize, Serialize};

use super::stored_entry::StoredEntry;

/// A kind of operation on a cell. Its serialized form is `get`, `set` or `delete`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// A read that returned a value.
    Get,
    /// A write of a value.
    Set,
    /// A delete.
    Delete,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Get => "get",
            Self::Set => "set",
            Self::Delete => "delete",
        })
    }
}

/// An operation of a transaction on a cell, with the value that was read or written.
///
/// It is displayed as the operation, the cell, and the value after ` = `; bytes that are not
/// printable ASCII are escaped as `\xNN`.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, RowColumn};
/// use fluo_recipes::recording::{LogEntry, Operation};
///
/// let cell = RowColumn::new("org.wikipedia", Column::new("page", "uri").with_visibility("eu"));
/// let set = LogEntry::for_set(cell.clone(), "https://wikipedia.org");
/// assert_eq!(set.operation(), Operation::Set);
/// assert_eq!(set.to_string(), "set org.wikipedia page:uri [eu] = https://wikipedia.org");
/// assert_eq!(LogEntry::for_delete(cell).to_string(), "delete org.wikipedia page:uri [eu]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "StoredEntry", try_from = "StoredEntry")]
pub struct LogEntry {
    operation: Operation,
    cell: RowColumn,
    /// `None` for a delete, and only for a delete.
    value: Option<Bytes>,
}

impl LogEntry {
    /// Creates the entry of a read that returned a value.
    #[must_use]
    pub fn for_get(cell: RowColumn, value: impl Into<Bytes>) -> Self {
        Self::new(Operation::Get, cell, Some(value.into()))
    }

    /// Creates the entry of a write of a value.
    #[must_use]
    pub fn for_set(cell: RowColumn, value: impl Into<Bytes>) -> Self {
        Self::new(Operation::Set, cell, Some(value.into()))
    }

    /// Creates the entry of a delete.
    #[must_use]
    pub fn for_delete(cell: RowColumn) -> Self {
        Self::new(Operation::Delete, cell, None)
    }

    /// Returns the kind of operation.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the cell, visibility included.
    #[must_use]
    pub fn cell(&self) -> &RowColumn {
        &self.cell
    }

    /// Returns the value that was read or written, or `None` for a delete.
    #[must_use]
    pub fn value(&self) -> Option<&Bytes> {
        self.value.as_ref()
    }

    /// Creates an entry whose value fits the operation.
    pub(super) fn new(operation: Operation, cell: RowColumn, value: Option<Bytes>) -> Self {
        Self {
            operation,
            cell,
            value,
        }
    }
}

impl fmt::Display for LogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.operation, self.cell)?;
        match &self.value {
            Some(value) => write!(f, " = {}", Escaped(value)),
            None => Ok(()),
        }
    }
}
