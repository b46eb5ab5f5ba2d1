//! Calls of transactions, and whether their order matters.

use std::collections::BTreeSet;

use fluo_table::{Bytes, Mutation, Scan, Span};

/// A call that waits at the gate.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Timestamp,
    Read(Vec<Span>),
    /// A write with or without conditions, whatever its outcome.
    Write(BTreeSet<Bytes>),
}

impl Call {
    pub(crate) fn read(scan: &Scan) -> Self {
        Self::Read(scan.spans().to_vec())
    }

    pub(crate) fn write<'a>(mutations: impl IntoIterator<Item = &'a Mutation>) -> Self {
        let row = |mutation: &Mutation| mutation.row.clone();
        Self::Write(mutations.into_iter().map(row).collect())
    }

    /// Returns `true` if two adjacent calls of two transactions have the same results in both
    /// orders. Timestamps are handed out in an order, and read no cell. In the table, a writing
    /// call affects whole rows.
    pub(crate) fn commutes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Timestamp, Self::Timestamp) => false,
            (Self::Timestamp, _) | (_, Self::Timestamp) | (Self::Read(_), Self::Read(_)) => true,
            (Self::Read(spans), Self::Write(rows)) | (Self::Write(rows), Self::Read(spans)) => {
                !rows.iter().any(|row| is_touched(spans, row))
            }
            (Self::Write(rows), Self::Write(others)) => rows.is_disjoint(others),
        }
    }
}

/// Returns `true` if a row may have a cell in one of the spans.
fn is_touched(spans: &[Span], row: &Bytes) -> bool {
    let touches =
        |span: &Span| span.start().row <= *row && span.end().is_none_or(|end| *row <= end.row);
    spans.iter().any(touches)
}

#[test]
fn calls_that_touch_a_row_do_not_commute_unless_both_read() {
    let read = |row: &'static str| Call::read(&Scan::over(Span::row(row)));
    let write = |rows: &[&'static str]| Call::Write(rows.iter().map(|row| (*row).into()).collect());
    let all = Call::read(&Scan::over(Span::all()));
    for (one, other, commutes) in [
        (Call::Timestamp, Call::Timestamp, false),
        (Call::Timestamp, write(&["x"]), true),
        (Call::Timestamp, all.clone(), true),
        (read("x"), read("x"), true),
        (read("x"), write(&["x", "z"]), false),
        (read("y"), write(&["x", "z"]), true),
        (all, write(&["x"]), false),
        (write(&["x"]), write(&["y", "z"]), true),
        (write(&["x", "y"]), write(&["y", "z"]), false),
    ] {
        assert_eq!(one.commutes(&other), commutes, "{one:?} {other:?}");
        assert_eq!(other.commutes(&one), commutes, "{other:?} {one:?}");
    }
}
