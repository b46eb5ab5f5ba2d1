//! V5: scans that begin where another scan ended.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use fluo_table::{Cell, Filter, Key, Mutation, Scan, Span, TableAdmin, Versions};
use futures::stream::StreamExt;

use super::ground::{Ground, column};

const LATEST_TWO: Versions = Versions::Latest(NonZeroU32::new(2).unwrap());

/// Checks V5: a scan that begins in the middle of a row or column shows the rest of the whole scan.
pub async fn v5_a_scan_resumes_after_any_key(tables: Arc<dyn TableAdmin>) {
    for versions in [Versions::All, LATEST_TWO] {
        let ground = Ground::new(&tables, versions).await;
        let keys = rich_rows(&ground).await;
        for filter in [Filter::None, Filter::FirstOfRow] {
            let over = |span| Scan::over(span).filter(filter);
            let whole = ground.read(over(Span::all())).await;
            for key in &keys {
                let resumed = ground.read(over(Span::all()).after(key)).await;
                let rest = whole.iter().filter(|cell| cell.key > *key);
                assert!(resumed.iter().eq(rest), "{filter:?} after {key}: {resumed:?}");
                let from = ground.read(over(Span::between(key.clone(), None))).await;
                let rest = whole.iter().filter(|cell| cell.key >= *key);
                assert!(from.iter().eq(rest), "{filter:?} from {key}: {from:?}");
            }
        }
        ground.end().await;
    }
}

/// Checks V5: each of several spans of a scan may begin in the middle of a row or column.
pub async fn v5_each_of_several_spans_may_begin_anywhere(tables: Arc<dyn TableAdmin>) {
    for versions in [Versions::All, LATEST_TWO] {
        let ground = Ground::new(&tables, versions).await;
        let mut keys = rich_rows(&ground).await;
        keys.sort();
        for filter in [Filter::None, Filter::FirstOfRow] {
            let over = |spans: Vec<Span>| Scan::over_all(spans).filter(filter);
            let whole = ground.read(over(vec![Span::all()])).await;
            for gap in [1, 2, 3, 7, 20] {
                for ends in keys.windows(3 * gap + 1).step_by(3) {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|n| ends[n * gap].clone());
                    let spans = vec![Span::between(a, Some(b)), Span::between(c, Some(d))];
                    let is_in = |cell: &&Cell| spans.iter().any(|s| s.contains(&cell.key));
                    let shown = ground.read(over(spans.clone())).await;
                    let expected = whole.iter().filter(is_in);
                    assert!(shown.iter().eq(expected), "{filter:?} of {spans:?}: {shown:?}");
                }
            }
        }
        ground.end().await;
    }
}

/// Checks V5: a scan of one or several spans can be read batch by batch, each batch with a new scan
/// that resumes after the last cell.
pub async fn v5_a_scan_can_be_resumed_batch_by_batch(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, LATEST_TWO).await;
    rich_rows(&ground).await;
    let several = [Span::row("a\0"), Span::row(""), Span::rows("b", None)];
    for scan in [Scan::over(Span::all()), Scan::over_all(several)] {
        for filter in [Filter::None, Filter::FirstOfRow] {
            let scan = scan.clone().filter(filter).batch_cells(NonZeroUsize::new(2).unwrap());
            let whole = ground.read(scan.clone()).await;
            let mut cells: Vec<Cell> = Vec::new();
            let mut rest = scan;
            while let Some(batch) = ground.table.scan(rest.clone()).next().await {
                cells.extend(batch.unwrap());
                rest = rest.after(&cells.last().unwrap().key);
                assert!(cells.len() <= whole.len(), "{filter:?}: {cells:?}");
            }
            assert_eq!(cells, whole, "{filter:?}");
        }
    }
}

/// Writes rows with versions, deletes and hidden columns, and returns the keys of all puts.
async fn rich_rows(ground: &Ground) -> Vec<Key> {
    let columns = [column(""), column("q"), column("q").with_visibility("A"), column("r")];
    let mut keys = Vec::new();
    for (n, row) in ["", "a", "a\0", "b"].into_iter().enumerate() {
        let mut mutation = Mutation::new(row);
        for (m, column) in columns.iter().enumerate() {
            for timestamp in [i64::MAX, 3, 2, 1, i64::MIN] {
                mutation = mutation.put_at(column.clone(), timestamp, "v");
                keys.push(Key::new(row, column.clone(), timestamp));
            }
            if (n + m) % 2 == 0 {
                mutation = mutation.delete_at(column.clone(), 2);
            }
            if n + m == 3 {
                // The newest possible timestamp is excluded: see V5.
                mutation = mutation.delete_at(column.clone(), i64::MAX - 1);
            }
        }
        ground.write(vec![mutation]).await;
    }
    keys
}
