//! Where to scan.

use bytes::Bytes;

use super::Key;

/// A part of a table.
///
/// The end of a range of a *batch* scan is exclusive on the proxy whatever it is told; the batch scanner here makes up
/// for that, so a range means the same everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// Where it starts; none is the start of the table.
    pub start: Option<Key>,
    /// Whether the start belongs to it.
    pub start_inclusive: bool,
    /// Where it stops; none is the end of the table.
    pub stop: Option<Key>,
    /// Whether the stop belongs to it.
    pub stop_inclusive: bool,
}

/// A column family, or one qualifier of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScanColumn {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier; none is the whole family.
    pub qualifier: Option<Bytes>,
}

impl Range {
    /// The whole table.
    pub fn all() -> Self {
        Self::default()
    }

    /// The keys from `start`, inclusive, to `stop`, exclusive.
    pub fn between(start: Option<Key>, stop: Option<Key>) -> Self {
        Self {
            start,
            start_inclusive: true,
            stop,
            stop_inclusive: false,
        }
    }

    /// The rows from `start`, inclusive, to `stop`, exclusive.
    pub fn rows(start: Option<Bytes>, stop: Option<Bytes>) -> Self {
        Self::between(start.map(Key::of_row), stop.map(Key::of_row))
    }

    /// One row.
    pub fn row(row: impl Into<Bytes>) -> Self {
        let row = row.into();
        // The next row in byte order.
        let next: Bytes = row.iter().copied().chain([0]).collect();
        Self::rows(Some(row), Some(next))
    }

    /// What is left of the range after `last`.
    #[must_use]
    pub fn after(&self, last: Key) -> Self {
        Self {
            start: Some(last),
            start_inclusive: false,
            ..self.clone()
        }
    }
}

impl ScanColumn {
    /// All qualifiers of a family.
    pub fn family(family: impl Into<Bytes>) -> Self {
        Self {
            family: family.into(),
            qualifier: None,
        }
    }

    /// One qualifier of a family.
    pub fn qualifier(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self {
            family: family.into(),
            qualifier: Some(qualifier.into()),
        }
    }
}
