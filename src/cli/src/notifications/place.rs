//! The cell of a notification.

use std::fmt;

use fluo_table::Column;
use serde::Serialize;

use crate::byte_encoding::Written;

/// The row and the column of a notification, as separate fields and as text on a line.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    row: String,
    family: String,
    qualifier: String,
    visibility: String,
    #[serde(skip)]
    line: String,
}

impl Place {
    pub(super) fn new(row: &[u8], column: &Column, written: Written) -> Self {
        Self {
            row: written.shown(row),
            family: written.shown(&column.family),
            qualifier: written.shown(&column.qualifier),
            visibility: written.shown(&column.visibility),
            line: line(row, column, written),
        }
    }
}

fn line(row: &[u8], column: &Column, written: Written) -> String {
    let (row, family) = (written.word(row), written.family(&column.family));
    let place = format!("{row} {family}:{}", written.word(&column.qualifier));
    match written.word(&column.visibility).as_str() {
        "" => place,
        visibility => format!("{place} [{visibility}]"),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}
