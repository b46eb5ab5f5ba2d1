//! T12: cancelled calls.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Condition, Mutation, Scan, Span, TableAdmin, Versions};

use tokio::time::timeout;

use super::ground::{Ground, column};

const CALLS: u64 = 200;

/// Checks T12: a cancelled call wrote all of its mutation, or all mutations of a call that writes
/// them together, or nothing. Later calls work.
pub async fn t12_a_cancelled_call_is_atomic(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    for call in 0..CALLS {
        let both = Mutation::new(format!("{call:03}"))
            .put(column("left"), call.to_string())
            .put(column("right"), call.to_string());
        // Cancelled at once or a little later: while it waits, while it runs, or after it
        // completed.
        let patience = Duration::from_micros(call * 10);
        let free = || Condition::absent(column("left"));
        match (call % 3, ground.table.together()) {
            (0, _) => drop(timeout(patience, ground.table.write(vec![both])).await),
            (1, Some(together)) => {
                let again = Mutation::new(format!("{call:03}'"))
                    .put(column("left"), call.to_string())
                    .put(column("right"), call.to_string());
                let rows = vec![both.when(free()), again.when(free())];
                drop(timeout(patience, together.write_atomically(rows, None)).await);
            }
            _ => {
                let first = vec![both.when(free())];
                drop(timeout(patience, ground.table.write_conditional(first)).await);
            }
        }
    }
    let last = Mutation::new("last").put(column("left"), "v").put(column("right"), "v");
    ground.write(vec![last]).await;

    let cells = ground.read(Scan::over(Span::all())).await;
    for row in cells.chunk_by(|a, b| a.key.row == b.key.row) {
        assert_eq!(row.len(), 2, "half a mutation: {row:?}");
        assert_eq!(row[0].value, row[1].value);
    }
    assert!(cells.iter().any(|cell| cell.key.row == "last"));
    let rows: BTreeSet<_> = cells.iter().map(|cell| cell.key.row.as_ref()).collect();
    for call in (1..CALLS).step_by(3).filter(|_| ground.table.together().is_some()) {
        let [one, other] = [format!("{call:03}"), format!("{call:03}'")];
        assert_eq!(
            rows.contains(one.as_bytes()),
            rows.contains(other.as_bytes()),
            "half of the rows that are written together: {one}"
        );
    }
}
