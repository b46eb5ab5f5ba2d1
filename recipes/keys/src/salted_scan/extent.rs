//! The extent of a scan: pieces of the table, cut to the rows between two positions.

use fluo_table::{Bytes, Span, row_successor};

use crate::key_design::RowRange;

pub(super) fn piece_of(span: &Span) -> RowRange {
    let end = span.end().map(|end| end.row.clone());
    RowRange { start: span.start().row.clone(), end }
}

/// A position in the order of a scan: right after an unsalted key.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) unsalted: Bytes,
    /// Among the rows with this unsalted key, the position is after the last with this salt, or
    /// after all of them if it is `None`. Only drawn salts produce several.
    pub(super) salt: Option<Bytes>,
}

/// Returns the part of a piece after a position and up to an unsalted key, or `None` if it is
/// empty.
pub(super) fn clipped(
    RowRange { start, end }: &RowRange,
    head_len: usize,
    after: Option<&Position>,
    through: Option<&Bytes>,
) -> Option<RowRange> {
    let salt = start.get(..head_len)?;
    let key = |unsalted: &[u8]| Bytes::from([salt, unsalted].concat());
    let next = after.map(|Position { unsalted, salt: last }| {
        let same = key(unsalted);
        let is_before = last.as_ref().is_none_or(|last| salt <= last.as_ref());
        if is_before { row_successor(&same) } else { same }
    });
    let start = next.map_or_else(|| start.clone(), |next| next.max(start.clone()));
    let behind = through.map(|last| row_successor(&key(last)));
    let end = behind.into_iter().chain(end.clone()).min();
    let is_empty = end.as_ref().is_some_and(|end| *end <= start);
    (!is_empty).then_some(RowRange { start, end })
}
