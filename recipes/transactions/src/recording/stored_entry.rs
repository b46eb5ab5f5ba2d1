//! The serialized form of a log entry.
//!
//! An entry is a structure of six fields, in this order. All of them are always present.
//!
//! | field | content |
//! |---|---|
//! | `operation` | `get`, `set` or `delete` |
//! | `row` | bytes |
//! | `family`, `qualifier`, `visibility` | bytes, may be empty |
//! | `value` | bytes, or null for a delete |
//!
//! In a format for people, such as JSON, bytes are text in base64 with padding (RFC 4648, section
//! 4). In a binary format they are bytes.

use data_encoding::BASE64;
use fluo_engine::{Bytes, Column, RowColumn};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use super::{LogEntry, Operation};

/// A log entry with the fields of its serialized form.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename = "LogEntry")]
pub(super) struct StoredEntry {
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

/// The error of an entry whose value does not fit its operation.
#[derive(Debug, Error)]
pub(super) enum UnfitValue {
    #[error("the {operation} of `{cell}` has no value; a {operation} has one")]
    Missing {
        operation: Operation,
        cell: RowColumn,
    },
    #[error("the delete of `{cell}` has a value; a delete has none")]
    OfDelete { cell: RowColumn },
}

impl From<LogEntry> for StoredEntry {
    fn from(entry: LogEntry) -> Self {
        let RowColumn { row, column } = entry.cell().clone();
        Self {
            operation: entry.operation(),
            row: StoredBytes(row),
            family: StoredBytes(column.family),
            qualifier: StoredBytes(column.qualifier),
            visibility: StoredBytes(column.visibility),
            value: entry.value().cloned().map(StoredBytes),
        }
    }
}

impl TryFrom<StoredEntry> for LogEntry {
    type Error = UnfitValue;

    fn try_from(stored: StoredEntry) -> Result<Self, UnfitValue> {
        let column = Column {
            family: stored.family.0,
            qualifier: stored.qualifier.0,
            visibility: stored.visibility.0,
        };
        let cell = RowColumn::new(stored.row.0, column);
        let value = stored.value.map(|value| value.0);
        match (stored.operation, &value) {
            (Operation::Delete, None) | (Operation::Get | Operation::Set, Some(_)) => {
                Ok(Self::new(stored.operation, cell, value))
            }
            (Operation::Delete, Some(_)) => Err(UnfitValue::OfDelete { cell }),
            (operation, None) => Err(UnfitValue::Missing { operation, cell }),
        }
    }
}

impl Serialize for StoredBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(&BASE64.encode_display(&self.0)),
            false => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StoredBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Bytes::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        match BASE64.decode(text.as_bytes()) {
            Ok(bytes) => Ok(Self(bytes.into())),
            Err(error) => Err(D::Error::custom(format_args!(
                "the bytes of a log entry are not base64: {error}; write base64 with padding"
            ))),
        }
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
            serde_json::from_value::<LogEntry>(entry)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error("set", None),
            "the set of `r1 cf1:` has no value; a set has one"
        );
        assert_eq!(
            error("get", None),
            "the get of `r1 cf1:` has no value; a get has one"
        );
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
