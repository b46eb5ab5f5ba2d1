//! The diagnosis of a conflict: its scans, and the locks that it resolves.
#![cfg(test)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fluo_engine::{Client, ClientOptions, CommitError, Conflict, ConflictCause};
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue, ReadLockValue};
use fluo_table::{Bytes, Column, Mutation, RowColumn, Table, Timestamp};
use fluo_tests::{Call, Fixture, Intercepted};

fn column() -> Column {
    Column::new("f", "q")
}

/// Returns a client on a table that counts its scans.
async fn counting_client(fixture: &Fixture) -> (Client, Arc<AtomicUsize>) {
    let scans = Arc::new(AtomicUsize::new(0));
    let counted = scans.clone();
    let count = move |call: &Call| {
        counted.fetch_add(usize::from(matches!(call, Call::Scan(_))), Ordering::SeqCst);
        async { Ok(None) }
    };
    let table: Arc<dyn Table> =
        Arc::new(Intercepted::with_hooks(fixture.table.clone(), count).row_by_row());
    (fixture.client_of(table, ClientOptions::new()).await, scans)
}

async fn commit(client: &Client, row: &'static str, before: impl AsyncFnOnce()) -> Conflict {
    let late = client.begin().await.unwrap();
    late.set(row, &column(), "1").unwrap();
    before().await;
    match late.commit().await.unwrap_err() {
        CommitError::Conflict(conflict) => conflict,
        error => panic!("{error}"),
    }
}

/// Three scans looked for locks, for read locks and for writes, and a fourth one for anything else.
#[tokio::test(start_paused = true)]
async fn a_conflict_with_a_committed_write_takes_one_scan() {
    let fixture = Fixture::in_memory().await;
    let (client, scans) = counting_client(&fixture).await;
    let other = fixture.client().await;
    let mut before = 0;
    let conflict = commit(&client, "r", async || {
        let set = async |tx: fluo_engine::Transaction| tx.set("r", &column(), "2");
        other.run::<_, fluo_table::Error, _>(set).await.unwrap();
        before = scans.load(Ordering::SeqCst);
    });
    let conflict = conflict.await;
    assert!(matches!(conflict.other, Some(ConflictCause::Committed { .. })), "{conflict}");
    assert_eq!(scans.load(Ordering::SeqCst) - before, 1);
}

/// The reader may be gone, but it read the cell after the writer began.
#[tokio::test(start_paused = true)]
async fn a_conflict_with_a_committed_read_names_the_reader() {
    let fixture = Fixture::in_memory().await;
    let (client, _) = counting_client(&fixture).await;
    let other = fixture.client().await;
    let conflict = commit(&client, "r", async || {
        let read = async |tx: fluo_engine::Transaction| {
            tx.with_read_lock().get("r", &column()).await?;
            tx.set("s", &column(), "2")
        };
        other.run::<_, fluo_table::Error, _>(read).await.unwrap();
    });
    let other = conflict.await.other;
    assert!(matches!(other, Some(ConflictCause::Committed { .. })), "{other:?}");
}

/// Each attempt of a writer would meet one of them otherwise.
#[tokio::test(start_paused = true)]
async fn the_read_locks_of_a_client_that_ended_are_resolved_together() {
    let fixture = Fixture::in_memory().await;
    let ended = fixture.client().await;
    let transactor = ended.transactor();
    for _ in 0..20 {
        drop(ended.begin().await.unwrap());
    }
    for start in 5..15 {
        let stamp = |kind| EntryTimestamp::new(kind, Timestamp::new(start).unwrap()).encode();
        let row = Bytes::from(format!("primary {start}"));
        let primary = RowColumn::new(row.clone(), column());
        let read_lock = ReadLockValue { primary: primary.clone(), transactor };
        let lock =
            LockValue { primary, transactor, is_write: true, is_delete: false, is_trigger: false };
        let locked = [
            Mutation::new("r").put_at(column(), stamp(EntryKind::ReadLock), read_lock.encode()),
            Mutation::new(row).put_at(column(), stamp(EntryKind::Lock), lock.encode()),
        ];
        fixture.write(locked.to_vec()).await;
    }
    drop(ended);
    let (client, _) = counting_client(&fixture).await;
    let conflict = commit(&client, "r", async || ()).await;
    assert!(matches!(conflict.other, Some(ConflictCause::Locking { .. })), "{conflict}");
    let again = client.begin().await.unwrap();
    again.set("r", &column(), "1").unwrap();
    again.commit().await.unwrap();
}
