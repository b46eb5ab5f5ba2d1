//! The checks of a store whose process was killed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fluo_engine::{Client, Snapshot};
use fluo_tests::STUCK;

use crate::sqlite_sink::SqliteSink;
use crate::store::{Store, customer, value};

/// The work that kills have interrupted.
#[derive(Debug, Default)]
pub(crate) struct Interrupted {
    /// The updates that were not combined.
    pub(crate) updates: u64,
    /// The entries that were not exported.
    pub(crate) exports: u64,
    /// The entries that SQLite had, and that were still in the queue.
    pub(crate) unacknowledged: u64,
}

impl Interrupted {
    /// Checks for at least one of each.
    pub(crate) fn is_all(&self) -> bool {
        self.updates > 0 && self.exports > 0 && self.unacknowledged > 0
    }
}

/// Checks the store as the process left it, drains its queues, checks it again, and returns the
/// numbers of all orders.
pub(crate) async fn drained(directory: &Path, interrupted: &mut Interrupted) -> BTreeSet<u64> {
    let store = Store::open(directory);
    let client = store.client().await;
    let snapshot = client.snapshot().await.unwrap();
    let committed = store.committed(&snapshot).await;
    store.check_sold(&snapshot, &committed).await;
    let missing = missing(&store.sink, &committed);
    let (updates, entries) = store.waiting(&client, &snapshot).await;
    assert!(
        entries >= missing,
        "SQLite lacks {missing} orders, and only {entries} are in the queue"
    );
    interrupted.updates += updates;
    interrupted.exports += missing;
    interrupted.unacknowledged += entries - missing;

    drain(&client).await;
    let snapshot = client.snapshot().await.unwrap();
    assert_eq!(store.waiting(&client, &snapshot).await, (0, 0));
    check_drained(&store, &snapshot, &committed).await;
    committed.into_keys().collect()
}

async fn drain(client: &Client) {
    let worker = client.worker().start().await.unwrap();
    let idle = tokio::time::timeout(STUCK, client.wait_until_idle());
    idle.await.expect("the queues drain").unwrap();
    worker.stop().await;
    assert!(client.failed_notifications().await.unwrap().is_empty());
}

async fn check_drained(store: &Store, snapshot: &Snapshot, committed: &BTreeMap<u64, u64>) {
    assert_eq!(&store.committed(snapshot).await, committed);
    store.check_sold(snapshot, committed).await;
    let missing = missing(&store.sink, committed);
    assert_eq!(missing, 0, "orders that SQLite never gets");
}

/// Checks that SQLite has, of each customer, the first orders in the order of their commits, each
/// once. Returns the number of committed orders that it does not have.
fn missing(sink: &SqliteSink, committed: &BTreeMap<u64, u64>) -> u64 {
    let exported = sink.exported().unwrap();
    let mut last = BTreeMap::<&str, (u64, u64)>::new();
    for export in &exported {
        let number = export.value.0;
        assert_eq!(export.value, value(number));
        assert_eq!(export.key, customer(number));
        let position = committed.get(&number);
        let position = *position.unwrap_or_else(|| panic!("order {number} has not committed"));
        let sequence = export.sequence.get();
        let before = last.insert(&export.key, (position, sequence));
        let (before, earlier) = before.unwrap_or_default();
        let is_next = position == before + 1 && sequence > earlier;
        assert!(
            is_next,
            "{}: the order at {position} comes after that at {before}, with the sequence {sequence} \
             after {earlier}",
            export.key
        );
    }
    u64::try_from(committed.len() - exported.len()).unwrap()
}
