//! What a transaction is about to do, and whether it matters who goes first.

use std::collections::BTreeSet;

use fluo_core::{Bytes, Mutation, Scan, Span};

/// A call that waits.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Timestamp,
    Read(Vec<Span>),
    /// Also one under a condition, whatever comes of it.
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

    /// Whether two calls of two transactions, one right after the other, come to the same in both orders: timestamps are
    /// handed out in an order and look at no cell; of the table, a call that writes touches whole rows.
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

/// Whether a row may have a cell in one of some spans.
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
