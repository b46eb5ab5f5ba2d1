//! The cell of a notification.

use fluo_table::Column;
use serde_json::{Value, json};

use crate::byte_encoding::Written;

/// Returns the row and the column of a notification, as fields of an item.
pub(super) fn fields(row: &[u8], column: &Column, written: Written) -> Value {
    json!({
        "row": written.shown(row),
        "family": written.shown(&column.family),
        "qualifier": written.shown(&column.qualifier),
        "visibility": written.shown(&column.visibility),
    })
}

/// Returns the row and the column of a notification, as text on a line.
pub(super) fn line(row: &[u8], column: &Column, written: Written) -> String {
    let (row, family) = (written.word(row), written.family(&column.family));
    let place = format!("{row} {family}:{}", written.word(&column.qualifier));
    match written.word(&column.visibility).as_str() {
        "" => place,
        visibility => format!("{place} [{visibility}]"),
    }
}
