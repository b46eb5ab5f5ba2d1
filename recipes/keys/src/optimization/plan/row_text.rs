//! Rows as text in saved plans and printed results, in the escaped form of `fluo_table::Escaped`.

use fluo_table::{Bytes, Escaped, unescape};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(rows: &[Bytes], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.iter().map(|row| Escaped(row).in_ascii().to_string()))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Bytes>, D::Error> {
    let rows = Vec::<String>::deserialize(deserializer)?;
    let read = |row: String| {
        unescape(&row).map_err(|error| D::Error::custom(format!("row `{row}`: {error}")))
    };
    rows.into_iter().map(read).collect()
}
