//! The cell of a notification.

use std::fmt;

use fluo_core::Column;
use serde::Serialize;

use crate::written::Written;

/// Row and column as they are printed.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    row: String,
    family: String,
    qualifier: String,
    visibility: String,
}

impl Place {
    pub(super) fn new(row: &[u8], column: &Column, written: Written) -> Self {
        Self {
            row: written.shown(row),
            family: written.shown(&column.family),
            qualifier: written.shown(&column.qualifier),
            visibility: written.shown(&column.visibility),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:{}", self.row, self.family, self.qualifier)?;
        match self.visibility.as_str() {
            "" => Ok(()),
            visibility => write!(f, " [{visibility}]"),
        }
    }
}
