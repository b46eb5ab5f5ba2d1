//! Tablets: the contiguous parts of a table that its split points make.

use crate::data::{Bytes, Span};

/// A contiguous part of a table, hosted by one server at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tablet {
    /// The last row that it can hold, inclusive; `None` for the last tablet.
    pub end_row: Option<Bytes>,
    /// The server that hosts it; `None` while nobody does.
    pub server: Option<String>,
    /// Stored entries: versions and delete markers included. An estimate where a table does not count.
    pub entries: u64,
}

/// All tablets of a table, in order, without gaps: each begins after the end row of the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tablets(Vec<Tablet>);

impl Tablets {
    /// Tablets in order.
    pub fn new(tablets: Vec<Tablet>) -> Self {
        Self(tablets)
    }

    /// The tablets in order.
    pub fn as_slice(&self) -> &[Tablet] {
        &self.0
    }

    /// Each tablet with the span of keys that belongs to it.
    pub fn spans(&self) -> impl Iterator<Item = (Span, &Tablet)> {
        let previous_end_rows =
            std::iter::once(None).chain(self.0.iter().map(|t| t.end_row.as_deref()));
        previous_end_rows
            .zip(&self.0)
            .map(|(previous, tablet)| (Span::tablet(previous, tablet.end_row.as_deref()), tablet))
    }

    /// Stored entries of all tablets together.
    pub fn entries(&self) -> u64 {
        self.0.iter().map(|tablet| tablet.entries).sum()
    }

    /// Where in [`as_slice`](Self::as_slice) the tablet of `row` stands.
    pub fn index_of(&self, row: &[u8]) -> usize {
        self.0.partition_point(|tablet| {
            tablet
                .end_row
                .as_ref()
                .is_some_and(|end| end.as_ref() < row)
        })
    }
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
            let held: Vec<_> = tablets
                .spans()
                .map(|(span, _)| span.contains(&Key::first_of_row(row)))
                .collect();
            assert_eq!(held.iter().position(|&h| h), Some(index));
        }
    }
}
