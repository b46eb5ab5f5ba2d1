//! The fields of a composite row: their kinds, their directions, their values.

use std::fmt;

use fluo_core::Bytes;
use serde::{Deserialize, Serialize};

/// What a field of a composite row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FieldKind {
    /// UTF-8 text, in the order of its bytes, which is that of its scalar values.
    Text,
    /// Any bytes; hexadecimal digits in a row.
    Bytes,
    /// A whole number of 64 bits with a sign.
    Signed,
    /// A whole number of 64 bits without a sign.
    Unsigned,
    /// A floating-point number of 64 bits (IEEE 754).
    Float,
    /// A time in milliseconds since 1970 in UTC, in 64 bits with a sign; in a row as RFC 3339 has it.
    Time,
}

/// In which direction a field is ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldOrder {
    /// The smallest first.
    #[default]
    Ascending,
    /// The largest first.
    Descending,
}

/// A field of a composite row, as it is configured.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{FieldKind, FieldOrder, FieldSettings};
///
/// let newest_first = FieldSettings::new("at", FieldKind::Time).descending();
/// assert_eq!(newest_first.order, FieldOrder::Descending);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSettings {
    /// What it is called in messages and explanations; nothing unless given.
    #[serde(default)]
    pub name: String,
    /// What it holds.
    pub kind: FieldKind,
    /// In which direction it is ordered; ascending unless given.
    #[serde(default)]
    pub order: FieldOrder,
}

impl FieldSettings {
    /// An ascending field.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Self {
        Self {
            name: name.into(),
            kind,
            order: FieldOrder::Ascending,
        }
    }

    /// The same field, the largest first.
    #[must_use]
    pub fn descending(self) -> Self {
        Self {
            order: FieldOrder::Descending,
            ..self
        }
    }

    /// With what each byte of the field is combined by exclusive or: all bits, where the order is reversed.
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
    /// A whole number with a sign.
    Signed(i64),
    /// A whole number without a sign.
    Unsigned(u64),
    /// A floating-point number. `-0.0` is kept as `0.0`, which it equals; all NaN are kept as one, which comes
    /// behind infinity.
    Float(f64),
    /// Milliseconds since 1970 in UTC.
    Time(i64),
}

impl Field {
    /// What the value is.
    #[must_use]
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

impl From<i64> for Field {
    fn from(number: i64) -> Self {
        Self::Signed(number)
    }
}

impl From<u64> for Field {
    fn from(number: u64) -> Self {
        Self::Unsigned(number)
    }
}

impl From<f64> for Field {
    fn from(number: f64) -> Self {
        Self::Float(number)
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

impl fmt::Display for FieldOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        })
    }
}
