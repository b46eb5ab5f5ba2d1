//! Tablets: the contiguous parts of a table between its split points.

use std::collections::BTreeSet;

use crate::data::{Bytes, Span};
use crate::error::{Error, Result};

/// A contiguous part of a table, hosted by one server at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tablet {
    /// The last row of the tablet, inclusive; `None` for the last tablet.
    pub end_row: Option<Bytes>,
    /// The server that hosts it, or `None` while no server does.
    pub server: Option<String>,
    /// The number of stored entries, including older versions and delete markers. An estimate if
    /// the table does not count.
    pub entries: u64,
}

/// All tablets of a table, in order and without gaps: each begins after the end row of the previous
/// one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tablets(Vec<Tablet>);

impl Tablets {
    /// Creates tablets from a list, which must be in order.
    pub fn new(tablets: Vec<Tablet>) -> Self {
        Self(tablets)
    }

    /// Returns the tablets in order.
    pub fn as_slice(&self) -> &[Tablet] {
        &self.0
    }

    /// Returns each tablet with its span of keys.
    pub fn spans(&self) -> impl Iterator<Item = (Span, &Tablet)> {
        let previous_end_rows =
            std::iter::once(None).chain(self.0.iter().map(|t| t.end_row.as_deref()));
        previous_end_rows
            .zip(&self.0)
            .map(|(previous, tablet)| (Span::tablet(previous, tablet.end_row.as_deref()), tablet))
    }

    /// Returns the number of stored entries of all tablets together.
    pub fn entries(&self) -> u64 {
        self.0.iter().map(|tablet| tablet.entries).sum()
    }

    /// Returns the position in [`as_slice`](Self::as_slice) of the tablet that contains `row`.
    pub fn index_of(&self, row: &[u8]) -> usize {
        self.0
            .partition_point(|tablet| tablet.end_row.as_ref().is_some_and(|end| end.as_ref() < row))
    }
}

/// Checks split points that are to be added (rule A4).
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) if one of them is empty.
pub fn check_split_points(splits: &BTreeSet<Bytes>) -> Result<()> {
    if splits.first().is_some_and(Bytes::is_empty) {
        return Err(Error::invalid(
            "a split point is empty; it must be a row of at least one byte",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Key;

    #[test]
    fn a_row_falls_in_the_tablet_whose_span_holds_it() {
        let tablet = |end: Option<&'static str>| Tablet {
            end_row: end.map(Bytes::from),
            server: None,
            entries: 0,
        };
        let tablets = Tablets::new(vec![tablet(Some("c")), tablet(Some("m")), tablet(None)]);
        for (row, index) in [("", 0), ("c", 0), ("c\0", 1), ("m", 1), ("z", 2)] {
            assert_eq!(tablets.index_of(row.as_bytes()), index, "{row}");
            let held: Vec<_> =
                tablets.spans().map(|(span, _)| span.contains(&Key::first_of_row(row))).collect();
            assert_eq!(held.iter().position(|&h| h), Some(index));
        }
    }

    #[test]
    fn rejects_an_empty_split_point() {
        let message =
            check_split_points(&BTreeSet::from(["".into(), "a".into()])).unwrap_err().to_string();
        assert_eq!(message, "a split point is empty; it must be a row of at least one byte");
        assert!(check_split_points(&BTreeSet::from(["a".into()])).is_ok());
        assert!(check_split_points(&BTreeSet::new()).is_ok());
    }
}
