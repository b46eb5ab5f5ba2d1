//! Keys and entries.

use std::cmp::Ordering;

use bytes::Bytes;

/// The key of an entry.
///
/// # Order
///
/// Keys are ordered by row, family, qualifier and visibility as bytes, then by timestamp, newest
/// first: Accumulo's order.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::Key;
///
/// assert!(Key::from_row("a").at(2) < Key::from_row("a").at(1));
/// assert!(Key::from_row("a") < Key::from_row("b"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Key {
    /// Row.
    pub row: Bytes,
    /// Column family.
    pub family: Bytes,
    /// Column qualifier.
    pub qualifier: Bytes,
    /// Column visibility.
    pub visibility: Bytes,
    /// Timestamp; in milliseconds if the server sets it.
    pub timestamp: i64,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Bytes,
}

/// A column of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier.
    pub qualifier: Bytes,
    /// Column visibility.
    pub visibility: Bytes,
}

/// Some entries of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextBatch {
    /// The entries.
    pub entries: Vec<Entry>,
    /// `true` if there may be more entries: whenever the batch has exactly the requested number
    /// of entries.
    pub more: bool,
}

/// The parts of a key to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartialKey {
    /// The row.
    Row,
    /// Row and family.
    RowFamily,
    /// Row, family and qualifier.
    RowFamilyQualifier,
    /// Row, family, qualifier and visibility.
    RowFamilyQualifierVisibility,
    /// All parts except the delete marker.
    RowFamilyQualifierVisibilityTime,
    /// All parts.
    All,
}

impl Key {
    /// Creates the first key of a row: empty column, newest timestamp.
    pub fn from_row(row: impl Into<Bytes>) -> Self {
        Self {
            row: row.into(),
            family: Bytes::new(),
            qualifier: Bytes::new(),
            visibility: Bytes::new(),
            timestamp: i64::MAX,
        }
    }

    /// Returns the key in another column.
    pub fn in_column(self, family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self { family: family.into(), qualifier: qualifier.into(), ..self }
    }

    /// Returns the key with another visibility.
    pub fn with_visibility(self, visibility: impl Into<Bytes>) -> Self {
        Self { visibility: visibility.into(), ..self }
    }

    /// Returns the key at another timestamp.
    pub fn at(self, timestamp: i64) -> Self {
        Self { timestamp, ..self }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.row
            .cmp(&other.row)
            .then_with(|| self.family.cmp(&other.family))
            .then_with(|| self.qualifier.cmp(&other.qualifier))
            .then_with(|| self.visibility.cmp(&other.visibility))
            .then_with(|| other.timestamp.cmp(&self.timestamp))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
