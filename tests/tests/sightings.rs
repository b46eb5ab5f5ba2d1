//! A client that has met more locks than it remembers still measures the time of new ones.
#![cfg(test)]

use std::time::Duration;

use fluo_engine::{Client, ClientOptions};
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue};
use fluo_table::{Bytes, Column, Mutation, RowColumn, Scan, Span, Timestamp};
use fluo_tests::Fixture;
use futures::TryStreamExt;
use tokio::time::timeout;

/// More locks than a client remembers.
const LOCKS: usize = 33_000;

fn column() -> Column {
    Column::new("f", "q")
}

/// Returns a row that contains only a lock of a transaction of `owner`.
fn locked(owner: &Client, row: String) -> Mutation {
    let lock = LockValue {
        primary: RowColumn::new(row.clone(), column()),
        transactor: owner.transactor(),
        is_write: true,
        is_delete: false,
        is_trigger: false,
    };
    let start = Timestamp::new(5).unwrap();
    let stamp = EntryTimestamp::new(EntryKind::Lock, start).encode();
    Mutation::new(row).put_at(column(), stamp, lock.encode())
}

/// Meets many locks for a moment each, and then one whose owner hangs. Returns its value, or `None`
/// if the reader still waits after twice the time until a rollback.
async fn read_a_stuck_cell_after_many_locks() -> Option<Option<Bytes>> {
    let fixture = Fixture::in_memory().await;
    let patience = Duration::from_secs(300);
    let options = ClientOptions::new().rollback_after(patience);
    let open = async || {
        let table = fixture.table.clone();
        fixture.client_of(table, options.clone()).await
    };
    let owner = open().await;
    for _ in 0..20 {
        drop(owner.begin().await.unwrap());
    }
    let rows = (0..LOCKS).map(|number| format!("ended {:02} {number:05}", number / 1_000));
    let locks = rows.chain(["stuck".to_owned()]).map(|row| locked(&owner, row));
    fixture.write(locks.collect()).await;

    let reader = open().await;
    let snapshot = reader.snapshot().await.unwrap();
    for group in 0..LOCKS / 1_000 {
        let scan = Scan::over(Span::prefix(format!("ended {group:02} ")));
        let read = timeout(Duration::from_millis(1), snapshot.scan(scan).try_concat());
        read.await.unwrap_err();
    }
    let value = timeout(patience * 2, snapshot.get("stuck", &column())).await;
    value.ok().map(Result::unwrap)
}

/// Regression test: a busy client met more than 32,768 locks. The time of a lock whose owner hung
/// did not begin while all of them were remembered, so readers waited a quarter of an hour instead
/// of five minutes.
#[tokio::test(start_paused = true)]
async fn a_lock_times_out_after_many_other_locks() {
    assert_eq!(read_a_stuck_cell_after_many_locks().await, Some(None));
}
