//! Stored entries, read without a filter.

use fluo_table::layout::EntryKind;
use fluo_table::{Cell, Key, Result, RowColumn, Scan, Span, Table, TableExt, Timestamp};

use crate::transaction::encode_entries::stamp;

/// Returns the span of one cell.
pub(crate) fn cell_span(cell: &RowColumn) -> Span {
    Span::cell(cell.row.clone(), &cell.column)
}

/// Returns those of the wanted entries of a cell that are stored.
pub(crate) async fn entries(
    table: &dyn Table,
    cell: &RowColumn,
    wanted: &[(EntryKind, Timestamp)],
) -> Result<Vec<Cell>> {
    let span = |(kind, timestamp): &(EntryKind, Timestamp)| {
        let key = Key::new(cell.row.clone(), cell.column.clone(), stamp(*kind, *timestamp));
        let end = key.successor();
        Span::between(key, Some(end))
    };
    table.read(Scan::over_all(wanted.iter().map(span))).await
}
