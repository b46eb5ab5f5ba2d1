//! The fields of a composite row: their kinds, their directions, their values.

use std::fmt;

use fluo_table::Bytes;
use serde::{Deserialize, Serialize};

/// The kind of values in a field of a composite row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FieldKind {
    /// UTF-8 text, in byte order, which is the order of its scalar values.
    Text,
    /// Any bytes; written as hexadecimal digits in a row.
    Bytes,
    /// A 64-bit integer with a sign.
    Signed,
    /// A 64-bit integer without a sign.
    Unsigned,
    /// A 64-bit floating-point number (IEEE 754).
    Float,
    /// A time in milliseconds since 1970 in UTC, as a signed 64-bit integer; written in a row as in
    /// RFC 3339.
    Time,
}

/// The direction in which a field is ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldOrder {
    /// The smallest first.
    #[default]
    Ascending,
    /// The largest first.
    Descending,
}

/// The configuration of one field of a composite row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with the kind of a field")]
pub struct FieldSettings {
    /// The name of the field in messages and explanations. The default is no name.
    #[serde(default)]
    pub name: String,
    /// The kind of its values.
    pub kind: FieldKind,
    /// The direction in which it is ordered. The default is ascending.
    #[serde(default)]
    pub order: FieldOrder,
}

impl FieldSettings {
    /// Creates the settings of an ascending field.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Self {
        Self { name: name.into(), kind, order: FieldOrder::Ascending }
    }

    /// Returns the same field with the largest value first.
    #[must_use]
    pub fn descending(self) -> Self {
        Self { order: FieldOrder::Descending, ..self }
    }

    /// Returns the byte that is XORed into each byte of the field: all bits set if the order is
    /// descending.
    pub(super) fn mask(&self) -> u8 {
        match self.order {
            FieldOrder::Ascending => 0,
            FieldOrder::Descending => 0xff,
        }
    }
}

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Field {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Bytes),
    /// An integer with a sign.
    Signed(i64),
    /// An integer without a sign.
    Unsigned(u64),
    /// A floating-point number. `-0.0` is stored as `0.0`, which equals it; all NaN are stored as
    /// one, which sorts after infinity.
    Float(f64),
    /// Milliseconds since 1970 in UTC.
    Time(i64),
}

impl Field {
    /// Returns the kind of the value.
    pub fn kind(&self) -> FieldKind {
        match self {
            Self::Text(_) => FieldKind::Text,
            Self::Bytes(_) => FieldKind::Bytes,
            Self::Signed(_) => FieldKind::Signed,
            Self::Unsigned(_) => FieldKind::Unsigned,
            Self::Float(_) => FieldKind::Float,
            Self::Time(_) => FieldKind::Time,
        }
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Signed => "a signed integer",
            Self::Unsigned => "an unsigned integer",
            Self::Float => "a floating-point number",
            Self::Time => "a time",
        })
    }
}
