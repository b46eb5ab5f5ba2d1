//! A contiguous part of a table.

use std::fmt;

use crate::data::{Bytes, Column, Escaped, Key, prefix_successor, row_successor};

/// A contiguous part of a table: the keys from `start`, inclusive, to `end`, exclusive.
///
/// A span is always half open. Every inclusive or exclusive bound on a row, a family or a column
/// can be expressed as such a bound on a [`Key`], because each byte string has a successor. So no
/// implementation needs flags, and all calls treat the end of a range the same way.
///
/// # Examples
///
/// ```
/// use fluo_table::{Column, Key, Span};
///
/// let span = Span::prefix("p:");
/// assert!(span.contains(&Key::new("p:1yl0:org.wikipedia", Column::new("page", "uri"), 0)));
/// assert!(!span.contains(&Key::new("p;", Column::default(), 0)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    start: Key,
    end: Option<Key>,
}

impl Span {
    /// Returns the whole table.
    pub fn all() -> Self {
        Self { start: Key::first_of_row(Bytes::new()), end: None }
    }

    /// Returns the keys from `start`, inclusive, to `end`, exclusive; `None` is the end of the
    /// table. Empty if `end` is not after `start`.
    pub fn between(start: Key, end: Option<Key>) -> Self {
        Self { start, end }
    }

    /// Returns one row.
    pub fn row(row: impl Into<Bytes>) -> Self {
        let row = row.into();
        let end = row_successor(&row);
        Self::rows(row, Some(end))
    }

    /// Returns the rows from `start`, inclusive, to `end`, exclusive; `None` is the end of the
    /// table.
    pub fn rows(start: impl Into<Bytes>, end: Option<Bytes>) -> Self {
        Self::between(Key::first_of_row(start), end.map(Key::first_of_row))
    }

    /// Returns the rows of a tablet: those after `previous_end_row`, up to and including `end_row`.
    pub fn tablet(previous_end_row: Option<&[u8]>, end_row: Option<&[u8]>) -> Self {
        let start = previous_end_row.map(row_successor).unwrap_or_default();
        Self::rows(start, end_row.map(row_successor))
    }

    /// Returns all rows that start with `prefix`.
    pub fn prefix(prefix: impl Into<Bytes>) -> Self {
        let prefix = prefix.into();
        let end = prefix_successor(&prefix);
        Self::rows(prefix, end)
    }

    /// Returns all versions of one column of one row.
    pub fn cell(row: impl Into<Bytes>, column: &Column) -> Self {
        let start = Key::new(row, column.clone(), i64::MAX);
        let next = Column { visibility: row_successor(&column.visibility), ..column.clone() };
        let end = Key::new(start.row.clone(), next, i64::MAX);
        Self::between(start, Some(end))
    }

    /// Returns the first key of the span, inclusive.
    pub fn start(&self) -> &Key {
        &self.start
    }

    /// Returns the end of the span, exclusive; `None` is the end of the table.
    pub fn end(&self) -> Option<&Key> {
        self.end.as_ref()
    }

    /// Checks whether the span is empty, so that no key can lie in it.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Checks whether `key` lies in the span.
    pub fn contains(&self, key: &Key) -> bool {
        *key >= self.start && self.end.as_ref().is_none_or(|end| key < end)
    }

    /// Sorts spans, drops empty ones and joins those that overlap or touch, so that each key lies
    /// in at most one of them.
    pub fn disjoint(mut spans: Vec<Self>) -> Vec<Self> {
        spans.retain(|span| !span.is_empty());
        spans.sort_by(|a, b| a.start.cmp(&b.start));
        let mut joined: Vec<Self> = Vec::with_capacity(spans.len());
        for span in spans {
            match joined.last_mut() {
                Some(last) if last.end.as_ref().is_none_or(|end| span.start <= *end) => {
                    last.end = last.end.take().zip(span.end).map(|(mine, other)| mine.max(other));
                }
                _ => joined.push(span),
            }
        }
        joined
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, ", Escaped(&self.start.row))?;
        match &self.end {
            Some(end) => write!(f, "{})", Escaped(&end.row)),
            None => f.write_str("end of table)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Bytes> {
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xff)], 0..3)
            .prop_map(Bytes::from)
    }

    fn key() -> impl Strategy<Value = Key> {
        let timestamp = prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), -2i64..2];
        (bytes(), bytes(), bytes(), bytes(), timestamp).prop_map(
            |(row, family, qualifier, visibility, ts)| {
                Key::new(row, Column { family, qualifier, visibility }, ts)
            },
        )
    }

    proptest! {
        #[test]
        fn a_row_span_holds_exactly_its_row(row in bytes(), key in key()) {
            prop_assert_eq!(Span::row(row.clone()).contains(&key), key.row == row);
        }

        #[test]
        fn a_cell_span_holds_exactly_its_column(row in bytes(), column in key(), key in key()) {
            let column = column.column;
            let inside = key.row == row && key.column == column;
            prop_assert_eq!(Span::cell(row, &column).contains(&key), inside);
        }

        #[test]
        fn a_prefix_span_holds_exactly_its_prefix(prefix in bytes(), key in key()) {
            prop_assert_eq!(Span::prefix(prefix.clone()).contains(&key), key.row.starts_with(&prefix));
        }

        #[test]
        fn a_tablet_is_open_below_and_closed_above(low in bytes(), high in bytes(), key in key()) {
            let inside = key.row > low && key.row <= high;
            prop_assert_eq!(Span::tablet(Some(&low), Some(&high)).contains(&key), inside);
        }

        #[test]
        fn after_leaves_what_was_not_read(
            start in key(),
            end in proptest::option::of(key()),
            last in key(),
            key in key(),
        ) {
            let span = Span::between(start, end);
            let is_left = span.contains(&key) && key > last;
            let rest = crate::Scan::over(span).after(&last);
            prop_assert_eq!(rest.spans().iter().any(|span| span.contains(&key)), is_left);
        }

        #[test]
        fn disjoint_spans_hold_the_same_keys_once(
            bounds in proptest::collection::vec((key(), proptest::option::of(key())), 0..5),
            key in key(),
        ) {
            let spans: Vec<_> = bounds.into_iter().map(|(s, e)| Span::between(s, e)).collect();
            let before = spans.iter().any(|span| span.contains(&key));
            let after = Span::disjoint(spans).iter().filter(|span| span.contains(&key)).count();
            prop_assert_eq!(after, usize::from(before));
        }
    }
}
