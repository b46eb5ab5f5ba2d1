//! The selection of rows to read, in terms of the user's rows.

use fluo_table::{Bytes, prefix_successor, row_successor};

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
        Self::Range { start: start.into(), end: Some(end.into()) }
    }

    /// Returns the pages of a domain in a [web table](crate::WebTable), without those of its
    /// subdomains.
    pub fn domain(domain: impl Into<String>) -> Self {
        Self::Domain { domain: domain.into(), subdomains: false }
    }

    /// Returns the pages of a domain in a [web table](crate::WebTable), and those of its
    /// subdomains.
    pub fn domain_and_subdomains(domain: impl Into<String>) -> Self {
        Self::Domain { domain: domain.into(), subdomains: true }
    }

    /// Returns the rows that begin with `prefix`, and whose next part is at least `from` and less
    /// than `to`.
    pub fn between(prefix: impl Into<Bytes>, from: impl Into<Bytes>, to: impl Into<Bytes>) -> Self {
        Self::Between { prefix: prefix.into(), from: Some(from.into()), to: Some(to.into()) }
    }

    /// Checks whether a row is in the set, or returns `None` for [`Between`](Self::Between) and
    /// [`Domain`](Self::Domain), whose rows only a design can read:
    /// [`KeyDesign::contains`](crate::KeyDesign::contains) works for every set.
    ///
    /// Rows are compared byte by byte: if a design normalizes rows, pass a normalized row.
    pub fn contains(&self, row: &[u8]) -> Option<bool> {
        match self {
            Self::Suffix(suffix) => Some(row.ends_with(suffix)),
            Self::Between { .. } | Self::Domain { .. } => None,
            _ => Some(self.bounds().contains(row)),
        }
    }

    /// Returns a range in byte order that contains the set, and only the set if it is contiguous in
    /// this order.
    ///
    /// The rows of a domain or with a suffix are not contiguous; their range is that of all rows.
    pub(super) fn bounds(&self) -> RowRange {
        match self {
            Self::All | Self::Domain { .. } | Self::Suffix(_) => {
                RowRange { start: Bytes::new(), end: None }
            }
            Self::Row(row) => RowRange::of_row(row.clone()),
            Self::Prefix(prefix) | Self::Between { prefix, .. } => {
                RowRange::of_prefix(prefix.clone())
            }
            Self::Range { start, end } => RowRange { start: start.clone(), end: end.clone() },
        }
    }

    /// Returns the longest common prefix of the rows in the set; unspecified if the set is empty.
    pub(super) fn common_prefix(&self) -> Bytes {
        match self {
            Self::All | Self::Domain { .. } | Self::Suffix(_) => Bytes::new(),
            Self::Row(row) => row.clone(),
            Self::Prefix(prefix) | Self::Between { prefix, .. } => prefix.clone(),
            Self::Range { start, end } => {
                // A binary search: rows are long.
                let lens: Vec<_> = (1..=start.len()).collect();
                let is_common = |len: &usize| {
                    let after = prefix_successor(start.get(..*len).unwrap_or_default());
                    after.is_none_or(|after| end.as_ref().is_some_and(|end| *end <= after))
                };
                start.slice(..lens.partition_point(is_common))
            }
        }
    }
}

/// A half-open range of rows or stored keys; unbounded if `end` is `None`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowRange {
    pub(crate) start: Bytes,
    pub(crate) end: Option<Bytes>,
}

impl RowRange {
    pub(super) fn of_row(row: impl Into<Bytes>) -> Self {
        let start = row.into();
        let end = Some(row_successor(&start));
        Self { start, end }
    }

    pub(super) fn of_prefix(prefix: impl Into<Bytes>) -> Self {
        let start = prefix.into();
        let end = prefix_successor(&start);
        Self { start, end }
    }

    pub(crate) fn contains(&self, row: &[u8]) -> bool {
        let is_before = |end: &Bytes| row < end.as_ref();
        row >= self.start.as_ref() && self.end.as_ref().is_none_or(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
