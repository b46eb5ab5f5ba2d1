//! Clients that may read a table but not write it.

use std::time::Duration;

use fluo_table::layout::{DelLockValue, EntryKind};
use fluo_table::{Column, ErrorKind, Mutation, Scan, Span, Timestamp};
use fluo_tests::Fixture;
use futures::TryStreamExt;
use tokio::time::Instant;

use super::entries::{client_after_20, committed, lock, observed, stamp, text};
use super::gated::Gated;

fn column() -> Column {
    Column::new("f", "q")
}

/// Reproduces a bug: a user with only the permission to read met the locks of a transaction that
/// had committed and had not yet rolled all of them forward. The read failed with `Denied`, because
/// a reader resolves such locks, although the transaction was healthy.
#[tokio::test(start_paused = true)]
async fn reads_past_the_locks_of_a_commit_without_write_permission() {
    let fixture = Fixture::in_memory().await;
    let before = fixture.client().await;
    for (row, value) in [("a", "0"), ("b", "0"), ("c", "0"), ("d", "0")] {
        let written: fluo_table::Result<()> =
            before.run(async |tx| tx.set(row, &column(), value)).await;
        written.unwrap();
    }
    let stalled = Gated::after(3, &fixture.table);
    let writer = fixture.client_on(stalled.clone()).await;
    let tx = writer.begin().await.unwrap();
    tx.set("a", &column(), "1").unwrap();
    tx.set("b", &column(), "1").unwrap();
    tx.delete("c", &column()).unwrap();
    let commit = tokio::spawn(tx.commit());
    stalled.hooks().latch.holds_a_task().await;

    let denied = Gated::denied(&fixture.table);
    let snapshot = fixture.client_on(denied).await.snapshot().await.unwrap();
    let cells = snapshot.scan(Scan::over(Span::all())).try_concat().await;
    let read: Vec<_> = cells.unwrap().into_iter().map(|cell| (cell.key.row, cell.value)).collect();
    let pairs = [("a", "1"), ("b", "1"), ("d", "0")];
    assert_eq!(read, pairs.map(|(row, value)| (row.into(), value.into())));
    assert_eq!(snapshot.get("c", &column()).await.unwrap(), None);
    stalled.hooks().latch.open();
    commit.await.unwrap().unwrap();
}

/// Reproduces the same bug after a rollback that left a lock: the reader reads the previous value.
#[tokio::test(start_paused = true)]
async fn reads_past_the_locks_of_a_rollback_without_write_permission() {
    let fixture = Fixture::in_memory().await;
    let before = fixture.client().await;
    let written: fluo_table::Result<()> = before.run(async |tx| tx.set("b", &column(), "0")).await;
    written.unwrap();
    let stalled = Gated::after(2, &fixture.table);
    let writer = fixture.client_on(stalled.clone()).await;
    let tx = writer.begin().await.unwrap();
    tx.set("a", &column(), "1").unwrap();
    tx.set("b", &column(), "1").unwrap();
    let commit = tokio::spawn(tx.commit());
    stalled.hooks().latch.holds_a_task().await;
    commit.abort();
    fixture.end_session(&writer).await;
    // Rolls back the primary, but not the other lock.
    let snapshot = before.snapshot().await.unwrap();
    assert_eq!(snapshot.get("a", &column()).await.unwrap(), None);

    let reader = fixture.client_on(Gated::denied(&fixture.table)).await;
    let snapshot = reader.snapshot().await.unwrap();
    let value = snapshot.get("b", &column()).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"0"[..]));
}

/// Reproduces a bug: a transaction that crashed was rolled back and left 300 locks. A reader
/// without the permission to write read past the first one and then began again behind it. That
/// took 300 batches, each of which read all remaining locks.
#[tokio::test(start_paused = true)]
async fn reads_each_of_many_left_locks_once() {
    const LOCKS: usize = 300;
    let fixture = Fixture::in_memory().await;
    let owner = client_after_20(&fixture).await;
    let left = (0..LOCKS).map(|number| {
        let lock = lock(&owner, true);
        let old = (stamp(EntryKind::Write, 3), committed(2, true));
        Mutation::new(format!("s{number:03}"))
            .put_at(text(), stamp(EntryKind::Lock, 5), lock)
            .put_at(text(), old.0, old.1)
            .put_at(text(), stamp(EntryKind::Data, 2), "old")
    });
    let primary = DelLockValue { is_rolled_back: true, is_primary: true, done: Timestamp::ZERO };
    let primary = Mutation::new("r").put_at(text(), stamp(EntryKind::DelLock, 5), primary.encode());
    fixture.write(left.chain([primary]).collect()).await;

    let denied = Gated::denied(&fixture.table);
    let reader = fixture.client_on(denied.clone()).await;
    let snapshot = reader.snapshot().await.unwrap();
    let (writes_before, spans_before) = denied.hooks().asked();
    let cells = snapshot.scan(Scan::over(Span::all())).try_concat().await;
    let cells = cells.unwrap();
    assert_eq!(cells.len(), LOCKS);
    assert!(cells.iter().all(|cell| cell.value == "old"));
    let (writes, spans) = denied.hooks().asked();
    assert_eq!(writes - writes_before, 1, "one denied call");
    // The scan, the status of the transaction, and each cell once.
    assert_eq!(spans - spans_before, 2 + LOCKS);
}

/// Reproduces a bug: a flush dropped the end of an observer's lock. A client without the permission
/// to write could not end the lock either. It could not read the cell until the owner timed out
/// after five minutes, and then the read failed.
#[tokio::test(start_paused = true)]
async fn reads_past_a_lock_whose_end_a_flush_dropped() {
    let fixture = Fixture::in_memory().await;
    let observer = client_after_20(&fixture).await;
    let acknowledged = observed(&observer).put_at(text(), stamp(EntryKind::Ack, 5), "");
    fixture.write(vec![acknowledged]).await;
    let reader = fixture.client_on(Gated::denied(&fixture.table)).await;
    let begun = Instant::now();
    let snapshot = reader.snapshot().await.unwrap();
    let value = snapshot.get("r", &text()).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"v"[..]));
    assert!(begun.elapsed() < Duration::from_secs(1));
}

/// Reproduces a bug: a transaction crashed before its commit, and no entry says yet that it is
/// rolled back. A client without the permission to write cannot decide it. Its read failed with
/// only the server's message, which names no remedy.
#[tokio::test(start_paused = true)]
async fn names_the_transaction_that_has_to_be_rolled_back_and_the_remedy() {
    let fixture = Fixture::in_memory().await;
    let owner = client_after_20(&fixture).await;
    let locked = Mutation::new("r").put_at(text(), stamp(EntryKind::Lock, 5), lock(&owner, true));
    fixture.write(vec![locked]).await;
    fixture.end_session(&owner).await;
    let reader = fixture.client_on(Gated::denied(&fixture.table)).await;
    let snapshot = reader.snapshot().await.unwrap();
    let error = snapshot.get("r", &text()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    assert_eq!(
        error.to_string(),
        "cannot roll back transaction 5 on `r page:text`: user `reader` has no permission `WRITE` on table `web`; read \
         it once with a client that may write the table"
    );
    let value = fixture.client().await.snapshot().await.unwrap();
    assert_eq!(value.get("r", &text()).await.unwrap(), None);
    assert_eq!(snapshot.get("r", &text()).await.unwrap(), None);
}
