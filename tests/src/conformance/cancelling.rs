//! T12: calls that nobody waits for any more.

use std::sync::Arc;
use std::time::Duration;

use fluo_core::{Condition, Mutation, Scan, Span, TableAdmin, Versions};

use super::ground::{Ground, column};

const CALLS: u64 = 200;

/// T12: a call that was dropped wrote all of its mutation or nothing, and the calls after it work.
pub async fn t12_a_dropped_call_is_whole_or_nothing(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    for call in 0..CALLS {
        let both = Mutation::new(format!("{call:03}"))
            .put(column("left"), call.to_string())
            .put(column("right"), call.to_string());
        // Dropped at once, or a little later: while it waits, while it is under way, when it is done.
        let patience = Duration::from_micros(call * 10);
        if call % 2 == 0 {
            let _ = tokio::time::timeout(patience, ground.table.write(vec![both])).await;
        } else {
            let first = both.when(Condition::absent(column("left")));
            let _ =
                tokio::time::timeout(patience, ground.table.write_conditional(vec![first])).await;
        }
    }
    let last = Mutation::new("last")
        .put(column("left"), "v")
        .put(column("right"), "v");
    ground.write(vec![last]).await;

    let cells = ground.read(Scan::over(Span::all())).await;
    for row in cells.chunk_by(|a, b| a.key.row == b.key.row) {
        assert_eq!(row.len(), 2, "half a mutation: {row:?}");
        assert_eq!(row[0].value, row[1].value);
    }
    assert!(cells.iter().any(|cell| cell.key.row == "last"));
    ground.end().await;
}
