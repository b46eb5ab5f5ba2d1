//! T15: scans through a filter that begin where another scan ended.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::{Cell, Key, Scan, Span, TableAdmin, Versions};
use futures::stream::StreamExt;

use super::cells::Cells;
use super::expected::{filters_of_columns, filters_of_tables, of_column, scanned};
use crate::conformance::ground::Ground;

/// Checks T15: a scan through a filter that begins in the middle of a column shows the rest of the
/// whole scan.
pub async fn t15_a_scan_through_a_filter_resumes_after_any_key(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let cells = Cells::draw(5);
    cells.write(&ground).await;
    // Testing all of them would take long on tables where each scan is a remote call.
    for filter in filters_of_tables().into_iter().step_by(3) {
        let whole = scanned(&cells, filter);
        for key in keys(&cells).step_by(7) {
            let scan = Scan::over(Span::all()).after(&key);
            let shown = ground.read(scan.filter(filter)).await;
            let rest = whole.iter().filter(|cell| cell.key > key);
            assert!(shown.iter().eq(rest), "{filter:?} after {key}: {shown:?}");
        }
    }
    for filter in filters_of_columns().into_iter().step_by(3) {
        for (place, entries) in cells.columns().step_by(3) {
            if !place.column.visibility.is_empty() {
                continue;
            }
            let whole = of_column(place, entries, filter);
            for (stamp, _) in entries.iter().step_by(3) {
                let key = Key::new(place.row.clone(), place.column.clone(), *stamp);
                let scan = Scan::over(Span::cell(place.row.clone(), &place.column)).after(&key);
                let shown = ground.read(scan.filter(filter)).await;
                let rest = whole.iter().filter(|cell| cell.key > key);
                assert!(shown.iter().eq(rest), "{filter:?} after {key}: {shown:?}");
            }
        }
    }
}

/// Checks T15: a scan through a filter can be read batch by batch, each batch with a new scan that
/// resumes after the last cell.
pub async fn t15_a_scan_through_a_filter_can_be_resumed_batch_by_batch(
    tables: Arc<dyn TableAdmin>,
) {
    let ground = Ground::new(&tables, Versions::All).await;
    let cells = Cells::draw(6);
    cells.write(&ground).await;
    for filter in filters_of_tables() {
        let whole = scanned(&cells, filter);
        let scan = Scan::over(Span::all()).filter(filter);
        let mut rest = scan.batch_cells(NonZeroUsize::MIN);
        assert_eq!(ground.read(rest.clone()).await, whole, "{filter:?}");
        let mut read: Vec<Cell> = Vec::new();
        while let Some(batch) = ground.table.scan(rest.clone()).next().await {
            read.extend(batch.unwrap());
            rest = rest.after(&read.last().unwrap().key);
            assert!(read.len() <= whole.len(), "{filter:?}: {read:?}");
        }
        assert_eq!(read, whole, "{filter:?}");
    }
}

/// Returns the keys of all entries, also of those that the reader may not see.
fn keys(cells: &Cells) -> impl Iterator<Item = Key> {
    cells.columns().flat_map(|(place, entries)| {
        let key = |(stamp, _): &(i64, _)| Key::new(place.row.clone(), place.column.clone(), *stamp);
        entries.iter().map(key).collect::<Vec<_>>()
    })
}
