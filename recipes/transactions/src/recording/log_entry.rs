//! One logged operation: [`LogEntry`]. [`TxLog`](super::TxLog) has its serialized form.

use std::fmt;

use data_encoding::BASE64;
use fluo_engine::{Bytes, Column, RowColumn};
use fluo_table::Escaped;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
/// printable are escaped as `\xNN`.
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
    pub fn for_get(cell: RowColumn, value: impl Into<Bytes>) -> Self {
        Self { operation: Operation::Get, cell, value: Some(value.into()) }
    }

    /// Creates the entry of a write of a value.
    pub fn for_set(cell: RowColumn, value: impl Into<Bytes>) -> Self {
        Self { operation: Operation::Set, cell, value: Some(value.into()) }
    }

    /// Creates the entry of a delete.
    pub fn for_delete(cell: RowColumn) -> Self {
        Self { operation: Operation::Delete, cell, value: None }
    }

    /// The kind of operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The cell, visibility included.
    pub fn cell(&self) -> &RowColumn {
        &self.cell
    }

    /// The value that was read or written, or `None` for a delete.
    pub fn value(&self) -> Option<&Bytes> {
        self.value.as_ref()
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

/// A log entry with the fields of its serialized form.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename = "LogEntry")]
struct StoredEntry {
    operation: Operation,
    row: StoredBytes,
    family: StoredBytes,
    qualifier: StoredBytes,
    visibility: StoredBytes,
    value: Option<StoredBytes>,
}

/// Bytes that are text in formats for people.
#[derive(Debug)]
struct StoredBytes(Bytes);

impl From<LogEntry> for StoredEntry {
    fn from(entry: LogEntry) -> Self {
        let RowColumn { row, column } = entry.cell;
        Self {
            operation: entry.operation,
            row: StoredBytes(row),
            family: StoredBytes(column.family),
            qualifier: StoredBytes(column.qualifier),
            visibility: StoredBytes(column.visibility),
            value: entry.value.map(StoredBytes),
        }
    }
}

impl TryFrom<StoredEntry> for LogEntry {
    type Error = String;

    fn try_from(stored: StoredEntry) -> Result<Self, String> {
        let column = Column {
            family: stored.family.0,
            qualifier: stored.qualifier.0,
            visibility: stored.visibility.0,
        };
        let cell = RowColumn::new(stored.row.0, column);
        let (operation, value) = (stored.operation, stored.value.map(|value| value.0));
        if (operation == Operation::Delete) == value.is_none() {
            return Ok(Self { operation, cell, value });
        }
        Err(match value {
            Some(_) => format!("the delete of `{cell}` has a value; a delete has none"),
            None => format!("the {operation} of `{cell}` has no value; a {operation} has one"),
        })
    }
}

impl Serialize for StoredBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(&BASE64.encode_display(&self.0));
        }
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Bytes::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        BASE64.decode(text.as_bytes()).map(|bytes| Self(bytes.into())).map_err(|error| {
            D::Error::custom(format_args!(
                "the bytes of a log entry are not base64: {error}; write base64 with padding"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::recording::TxLog;

    fn log() -> TxLog {
        let cell = RowColumn::new("r1", Column::new("cf1", "").with_visibility("A&B"));
        let odd = RowColumn::new(vec![0, 0xff], Column::new(r"\", "cq"));
        TxLog::from_iter([
            LogEntry::for_get(cell.clone(), "v1"),
            LogEntry::for_set(odd, vec![0xfe]),
            LogEntry::for_delete(cell),
        ])
    }

    #[test]
    fn json_has_the_documented_names_and_base64() {
        let entry = |operation, row, family, qualifier, visibility, value: Option<&str>| {
            json!({ "operation": operation, "row": row, "family": family, "qualifier": qualifier,
                    "visibility": visibility, "value": value })
        };
        let entries = [
            entry("get", "cjE=", "Y2Yx", "", "QSZC", Some("djE=")),
            entry("set", "AP8=", "XA==", "Y3E=", "", Some("/g==")),
            entry("delete", "cjE=", "Y2Yx", "", "QSZC", None),
        ];
        let json = json!({ "entries": entries });
        assert_eq!(serde_json::to_value(log()).unwrap(), json);
        assert_eq!(serde_json::from_value::<TxLog>(json).unwrap(), log());
    }

    #[test]
    fn a_binary_format_has_plain_bytes() {
        let bytes = postcard::to_allocvec(&log()).unwrap();
        let row = [2, b'r', b'1'];
        assert!(bytes.windows(3).any(|window| window == row), "{bytes:?}");
        assert_eq!(postcard::from_bytes::<TxLog>(&bytes).unwrap(), log());
    }

    #[test]
    fn rejects_an_entry_whose_value_does_not_fit_its_operation() {
        let error = |operation: &str, value: Option<&str>| {
            let entry = json!({ "operation": operation, "row": "cjE=", "family": "Y2Yx",
                                "qualifier": "", "visibility": "", "value": value });
            serde_json::from_value::<LogEntry>(entry).unwrap_err().to_string()
        };
        assert_eq!(error("set", None), "the set of `r1 cf1:` has no value; a set has one");
        assert_eq!(error("get", None), "the get of `r1 cf1:` has no value; a get has one");
        assert_eq!(
            error("delete", Some("")),
            "the delete of `r1 cf1:` has a value; a delete has none"
        );
        assert_eq!(
            error("set", Some("djE")),
            "the bytes of a log entry are not base64: invalid length at 0; write base64 with padding"
        );
    }
}
