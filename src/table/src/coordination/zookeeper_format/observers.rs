//! The JSON in which Fluo stores observed columns.
//!
//! ```text
//! {"obsProviderClass":"rust","observedColumns":[
//!   {"fam":[112,97],"qual":[-61,-87],"vis":[],"notificationType":"STRONG","id":"count"}, ..]}
//! ```
//!
//! Bytes are signed numbers, as in Java. `id` is the name of the observer. Fluo has no such field,
//! and its reader ignores unknown fields. A Java worker loads the class of the provider, whose name
//! is a setting; a Java client reads only the columns.

use serde::{Deserialize, Serialize};

use crate::coordination::{ObservedColumn, ObserverKind};
use crate::data::{Bytes, Column};
use crate::error::{Error, Result};

/// The value written in place of the class, for an application without observers in Java.
const NO_PROVIDER: &str = "rust";

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    #[serde(default)]
    obs_provider_class: String,
    observed_columns: Vec<StoredColumn>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct StoredColumn {
    fam: Vec<i8>,
    qual: Vec<i8>,
    vis: Vec<i8>,
    notification_type: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
}

/// Returns the JSON of observed columns. `provider` is the class of Java's observers, if any.
pub(super) fn encode(observers: &[ObservedColumn], provider: Option<&str>) -> Result<Vec<u8>> {
    let signed = |bytes: &Bytes| bytes.iter().map(|byte| byte.cast_signed()).collect();
    let column = |observed: &ObservedColumn| StoredColumn {
        fam: signed(&observed.column.family),
        qual: signed(&observed.column.qualifier),
        vis: signed(&observed.column.visibility),
        notification_type: observed.kind.name().to_owned(),
        id: observed.id.clone(),
    };
    let stored = Stored {
        obs_provider_class: provider.unwrap_or(NO_PROVIDER).to_owned(),
        observed_columns: observers.iter().map(column).collect(),
    };
    serde_json::to_vec(&stored)
        .map_err(|error| Error::invalid(format!("the observers cannot be written: {error}")))
}

pub(super) fn decode(json: &[u8]) -> Result<Vec<ObservedColumn>> {
    let stored: Stored = serde_json::from_slice(json).map_err(|error| {
        Error::corrupt(format!("the observers are not what Fluo writes: {error}"))
    })?;
    stored.observed_columns.into_iter().map(read_column).collect()
}

fn read_column(stored: StoredColumn) -> Result<ObservedColumn> {
    let bytes = |signed: Vec<i8>| Bytes::from_iter(signed.into_iter().map(i8::cast_unsigned));
    let column = Column::new(bytes(stored.fam), bytes(stored.qual));
    let name = stored.notification_type;
    let kinds = [ObserverKind::Strong, ObserverKind::Weak];
    let kind = kinds.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let name = name.escape_default();
        Error::corrupt(format!(
            "{column} has the notification type `{name}`, which is neither STRONG nor WEAK"
        ))
    })?;
    Ok(ObservedColumn::new(column.with_visibility(bytes(stored.vis)), kind, stored.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_columns_as_fluo_does_and_adds_the_id() {
        let observers = [
            ObservedColumn::new(
                Column::new("pa", "é").with_visibility("A"),
                ObserverKind::Strong,
                "count",
            ),
            ObservedColumn::new(Column::new("", [0xff].as_slice()), ObserverKind::Weak, ""),
        ];
        let json = encode(&observers, None).unwrap();
        assert_eq!(
            std::str::from_utf8(&json).unwrap(),
            r#"{"obsProviderClass":"rust","observedColumns":[{"fam":[112,97],"qual":[-61,-87],"vis":[65],"notificationType":"STRONG","id":"count"},{"fam":[],"qual":[-1],"vis":[],"notificationType":"WEAK"}]}"#
        );
        assert_eq!(decode(&json).unwrap(), observers);
    }

    #[test]
    fn reads_and_writes_what_java_wrote() {
        let json = br#"{"obsProviderClass":"org.example.Provider","observedColumns":[{"fam":[115],"qual":[99],"vis":[],"notificationType":"STRONG"}]}"#;
        let expected = [ObservedColumn::new(Column::new("s", "c"), ObserverKind::Strong, "")];
        assert_eq!(decode(json).unwrap(), expected);
        assert_eq!(encode(&expected, Some("org.example.Provider")).unwrap(), json);
    }

    #[test]
    fn rejects_other_json() {
        for (json, expected) in [
            (
                "",
                "the observers are not what Fluo writes: EOF while parsing a value at line 1 column 0",
            ),
            (
                r#"{"observedColumns":[{"fam":[300],"qual":[],"vis":[],"notificationType":"WEAK"}]}"#,
                "the observers are not what Fluo writes: invalid value: integer `300`, expected i8 at line 1 column 31",
            ),
            (
                r#"{"observedColumns":[{"fam":[65],"qual":[66],"vis":[],"notificationType":"LOUD"}]}"#,
                "A:B has the notification type `LOUD`, which is neither STRONG nor WEAK",
            ),
        ] {
            let error = decode(json.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
            assert_eq!(error.to_string(), expected);
        }
    }
}
