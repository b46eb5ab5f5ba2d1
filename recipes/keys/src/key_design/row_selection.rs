//! The selection of rows to read, in terms of the user's rows.

use std::iter;

use fluo_table::{Bytes, prefix_successor, row_successor};

#[cfg(feature = "web-table")]
use super::web::is_page_of;

/// A set of the *user's* rows, independent of any design.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowSelection {
    /// All rows.
    All,
    /// One row.
    Row(Bytes),
    /// The rows that begin with these bytes.
    Prefix(Bytes),
    /// The rows from `start`, inclusive, to `end`, exclusive; unbounded if `end` is `None`.
    Range {
        /// The first row.
        start: Bytes,
        /// The first row that is not in the set.
        end: Option<Bytes>,
    },
    /// The pages of a domain, in a [web table](crate::WebTable).
    Domain {
        /// The domain alone, such as `example.com`.
        domain: String,
        /// `true` if the set includes the pages of the subdomains.
        subdomains: bool,
    },
    /// The rows that end with these bytes.
    Suffix(Bytes),
    /// The rows that begin with `prefix`, and whose next part is at least `from` and less than
    /// `to`, for designs whose rows have parts, such as `composite` and `reverse-time`.
    ///
    /// Parts are compared by value: numbers as numbers, times as times. A bound of `None` is no
    /// bound.
    Between {
        /// The text before the part, including the separator; empty for the first part.
        prefix: Bytes,
        /// The smallest value in the set.
        from: Option<Bytes>,
        /// The smallest value above the set.
        to: Option<Bytes>,
    },
}

impl RowSelection {
    /// Returns the rows from `start`, inclusive, to `end`, exclusive.
    pub fn range(start: impl Into<Bytes>, end: impl Into<Bytes>) -> Self {
        let (start, end) = (start.into(), Some(end.into()));
        Self::Range { start, end }
    }

    /// Returns the pages of a domain in a [web table](crate::WebTable), without those of its
    /// subdomains.
    pub fn domain(domain: impl Into<String>) -> Self {
        let domain = domain.into();
        let subdomains = false;
        Self::Domain { domain, subdomains }
    }

    /// Returns the pages of a domain in a [web table](crate::WebTable), and those of its
    /// subdomains.
    pub fn domain_and_subdomains(domain: impl Into<String>) -> Self {
        let domain = domain.into();
        let subdomains = true;
        Self::Domain { domain, subdomains }
    }

    /// Returns the rows that begin with `prefix`, and whose next part is at least `from` and less
    /// than `to`.
    pub fn between(prefix: impl Into<Bytes>, from: impl Into<Bytes>, to: impl Into<Bytes>) -> Self {
        let (prefix, from, to) = (prefix.into(), Some(from.into()), Some(to.into()));
        Self::Between { prefix, from, to }
    }

    /// Checks whether a row is in the set, or returns `None` for [`Between`](Self::Between), whose
    /// parts only a design can read.
    ///
    /// Rows are compared byte by byte: if a design normalizes rows, pass a normalized row. For a
    /// domain, any URL is accepted. [`KeyDesign::contains`](crate::KeyDesign::contains) works for
    /// every set.
    #[must_use]
    pub fn contains(&self, row: &[u8]) -> Option<bool> {
        match self {
            #[cfg(feature = "web-table")]
            Self::Domain { domain, subdomains } => Some(is_page_of(domain, *subdomains, row)),
            #[cfg(not(feature = "web-table"))]
            Self::Domain { .. } => None,
            Self::Suffix(suffix) => Some(row.ends_with(suffix)),
            Self::Between { .. } => None,
            Self::All | Self::Row(_) | Self::Prefix(_) | Self::Range { .. } => {
                let (start, end) = self.bounds();
                Some(row >= start.as_ref() && end.is_none_or(|end| row < end.as_ref()))
            }
        }
    }

    /// Returns a half-open range in byte order that contains the set, and only the set if it is
    /// contiguous in this order.
    ///
    /// The rows of a domain or with a suffix are not contiguous; their range is that of all rows.
    pub(super) fn bounds(&self) -> (Bytes, Option<Bytes>) {
        match self {
            Self::All | Self::Domain { .. } | Self::Suffix(_) => (Bytes::new(), None),
            Self::Row(row) => (row.clone(), Some(row_successor(row))),
            Self::Prefix(prefix) | Self::Between { prefix, .. } => {
                (prefix.clone(), prefix_successor(prefix))
            }
            Self::Range { start, end } => (start.clone(), end.clone()),
        }
    }

    /// Returns the longest common prefix of the rows in the set; unspecified if the set is empty.
    pub(super) fn common_prefix(&self) -> Bytes {
        match self {
            Self::All | Self::Domain { .. } | Self::Suffix(_) => Bytes::new(),
            Self::Row(row) => row.clone(),
            Self::Prefix(prefix) | Self::Between { prefix, .. } => prefix.clone(),
            Self::Range { start, end } if end.as_ref().is_some_and(|end| end <= start) => {
                start.clone()
            }
            Self::Range { start, end } => {
                let last = bytes_below(end.as_ref());
                let same = start.iter().zip(last).take_while(|(a, b)| *a == b);
                start.slice(..same.count())
            }
        }
    }
}

/// Returns the bytes of the last row below an end.
///
/// If there is no last row, these are endless bytes `ff`: all rows sort below such a row, and its
/// common prefix with the first row of a range is the common prefix of the whole range.
fn bytes_below(end: Option<&Bytes>) -> impl Iterator<Item = u8> {
    let last = end.and_then(|end| end.split_last());
    let before = last.map_or_else(Bytes::new, |(_, before)| Bytes::copy_from_slice(before));
    let lowered = last.and_then(|(last, _)| last.checked_sub(1));
    let is_a_row = last.is_some() && lowered.is_none();
    let on = (!is_a_row).then(|| iter::repeat(0xff));
    before
        .into_iter()
        .chain(lowered)
        .chain(on.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Bytes> {
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xff)], 0..4)
            .prop_map(Bytes::from)
    }

    fn rows() -> impl Strategy<Value = RowSelection> {
        prop_oneof![
            Just(RowSelection::All),
            bytes().prop_map(RowSelection::Row),
            bytes().prop_map(RowSelection::Prefix),
            bytes().prop_map(RowSelection::Suffix),
            (bytes(), proptest::option::of(bytes()))
                .prop_map(|(start, end)| RowSelection::Range { start, end }),
        ]
    }

    #[test]
    fn common_prefix_of_a_range_is_that_of_its_first_and_last_row() {
        for (start, end, common) in [
            (&b"acme/"[..], Some(&b"acme0"[..]), &b"acme/"[..]),
            (b"acme/a", Some(b"acme/c"), b"acme/"),
            (b"acme/a", Some(b"acme/b"), b"acme/a"),
            (b"acme/\xff\xff", Some(b"acme0"), b"acme/\xff\xff"),
            (b"acme", Some(b"acme\0"), b"acme"),
            (b"acme/a", Some(b"acme/b\0"), b"acme/"),
            (b"acme", Some(b"acme\0\0"), b"acme"),
            (b"\xff\xffa", None, b"\xff\xff"),
            (b"a", None, b""),
            (b"", Some(b"a"), b""),
        ] {
            let end = end.map(Bytes::from_static);
            let start = Bytes::from_static(start);
            let rows = RowSelection::Range { start, end };
            assert_eq!(rows.common_prefix(), common, "{rows:?}");
        }
    }

    proptest! {
        #[test]
        fn every_row_of_a_set_begins_with_its_common_prefix(rows in rows(), row in bytes()) {
            prop_assert!(rows.contains(&row) == Some(false) || row.starts_with(&rows.common_prefix()));
        }

        /// A prefix one byte longer is not common to all rows: the first row and rows at the end
        /// differ there.
        #[test]
    fn no_longer_prefix_is_common(rows in rows()) {
            let common = rows.common_prefix();
            let (start, end) = rows.bounds();
            if end.as_ref().is_some_and(|end| end <= &start) {
                return Ok(());
            }
            // Rows around every byte string of the test: one of them differs at the next byte, or
            // ends there.
            let ends = [start.clone(), end.unwrap_or_default(), common.clone()];
            let near = ends.iter().flat_map(|bytes| (0..=bytes.len()).map(|len| bytes.slice(..len)));
            let longer = near.flat_map(|bytes| {
                let with = |last: &[u8]| Bytes::from([&bytes, last].concat());
                [with(b""), with(b"\0"), with(b"\x01"), with(b"\xfe\xff\xff\xff\xff"), with(b"\xff\xff\xff\xff\xff")]
            });
            let below = |row: &Bytes| match row.split_last() {
                Some((last @ 1.., before)) => Bytes::from([before, &[last - 1], &[0xff; 8]].concat()),
                _ => row.clone(),
            };
            let mut rows_of_set: Vec<_> = longer.flat_map(|row| [below(&row), row]).collect();
            if let RowSelection::Suffix(suffix) = &rows {
                rows_of_set = vec![[b"a", suffix.as_ref()].concat().into(), [b"b", suffix.as_ref()].concat().into()];
            }
            rows_of_set.retain(|row| rows.contains(row) == Some(true));
            let next = |row: &Bytes| row.get(common.len()).copied();
            let first = rows_of_set.first().map(next);
            let continues_alike = |row: &Bytes| Some(next(row)) == first && next(row).is_some();
            prop_assert!(!rows_of_set.is_empty() && !rows_of_set.iter().all(continues_alike), "{:?} {:?}", rows, common);
        }
    }
}
