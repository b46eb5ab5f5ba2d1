//! Ranges and columns to scan.

use bytes::Bytes;

use super::Key;

/// A range of keys of a table.
///
/// A *batch* scan of the proxy always excludes the end of a range. The batch scanner of this crate
/// compensates for that, so a range has the same meaning for all scans.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// The start; `None` for the start of the table.
    pub start: Option<Key>,
    /// `true` if the range includes the start.
    pub start_inclusive: bool,
    /// The stop; `None` for the end of the table.
    pub stop: Option<Key>,
    /// `true` if the range includes the stop.
    pub stop_inclusive: bool,
}

/// A column family, or one qualifier of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScanColumn {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier; `None` for the whole family.
    pub qualifier: Option<Bytes>,
}

impl Range {
    /// Returns the range of the whole table.
    pub fn all() -> Self {
        Self::default()
    }

    /// Returns the range of keys from `start`, inclusive, to `stop`, exclusive.
    pub fn between(start: Option<Key>, stop: Option<Key>) -> Self {
        Self { start, start_inclusive: true, stop, stop_inclusive: false }
    }

    /// Returns the range of rows from `start`, inclusive, to `stop`, exclusive.
    pub fn rows(start: Option<Bytes>, stop: Option<Bytes>) -> Self {
        Self::between(start.map(Key::from_row), stop.map(Key::from_row))
    }

    /// Returns the range of one row.
    pub fn row(row: impl Into<Bytes>) -> Self {
        let row = row.into();
        // The next row in byte order.
        let next: Bytes = row.iter().copied().chain([0]).collect();
        Self::rows(Some(row), Some(next))
    }

    /// Returns the rest of the range after `last`.
    #[must_use]
    pub fn after(&self, last: Key) -> Self {
        Self { start: Some(last), start_inclusive: false, ..self.clone() }
    }
}

impl ScanColumn {
    /// Selects all qualifiers of a family.
    pub fn family(family: impl Into<Bytes>) -> Self {
        Self { family: family.into(), qualifier: None }
    }

    /// Selects one qualifier of a family.
    pub fn qualifier(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self { family: family.into(), qualifier: Some(qualifier.into()) }
    }
}
