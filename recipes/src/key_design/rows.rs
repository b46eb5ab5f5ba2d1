//! Which rows are to be read, in the user's own terms.

use fluo_core::{Bytes, prefix_successor, row_successor};

/// A set of the *user's* rows, before any design was applied to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rows {
    /// All rows.
    All,
    /// One row.
    Row(Bytes),
    /// The rows that begin with these bytes.
    Prefix(Bytes),
    /// The rows from `start`, inclusive, to `end`, exclusive; no end is no bound.
    Range {
        /// The first row.
        start: Bytes,
        /// The first row that is not in the set.
        end: Option<Bytes>,
    },
}

impl Rows {
    /// The rows from `start`, inclusive, to `end`, exclusive.
    pub fn range(start: impl Into<Bytes>, end: impl Into<Bytes>) -> Self {
        let (start, end) = (start.into(), Some(end.into()));
        Self::Range { start, end }
    }

    /// Whether a row is in the set.
    #[must_use]
    pub fn contains(&self, row: &[u8]) -> bool {
        let (start, end) = self.bounds();
        row >= start.as_ref() && end.is_none_or(|end| row < end.as_ref())
    }

    /// The set as a half-open range in byte order.
    pub(super) fn bounds(&self) -> (Bytes, Option<Bytes>) {
        match self {
            Self::All => (Bytes::new(), None),
            Self::Row(row) => (row.clone(), Some(row_successor(row))),
            Self::Prefix(prefix) => (prefix.clone(), prefix_successor(prefix)),
            Self::Range { start, end } => (start.clone(), end.clone()),
        }
    }

    /// The longest bytes with which every row of the set begins.
    pub(super) fn common_prefix(&self) -> Bytes {
        match self {
            Self::All => Bytes::new(),
            Self::Row(row) => row.clone(),
            Self::Prefix(prefix) => prefix.clone(),
            Self::Range { start, end } => {
                let Some(end) = end else {
                    return Bytes::new();
                };
                if end.as_ref() == row_successor(start).as_ref() {
                    return start.clone();
                }
                let same = start.iter().zip(end.iter()).take_while(|(a, b)| a == b);
                start.slice(..same.count())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Bytes> {
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xff)], 0..4)
            .prop_map(Bytes::from)
    }

    fn rows() -> impl Strategy<Value = Rows> {
        prop_oneof![
            Just(Rows::All),
            bytes().prop_map(Rows::Row),
            bytes().prop_map(Rows::Prefix),
            (bytes(), proptest::option::of(bytes()))
                .prop_map(|(start, end)| Rows::Range { start, end }),
        ]
    }

    proptest! {
        #[test]
        fn every_row_of_a_set_begins_with_its_common_prefix(rows in rows(), row in bytes()) {
            prop_assert!(!rows.contains(&row) || row.starts_with(&rows.common_prefix()));
        }
    }
}
