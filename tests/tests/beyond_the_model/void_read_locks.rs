//! Read locks whose end a server dropped while the lock is in another file.

use fluo_engine::{Client, CommitError, ConflictCause};
use fluo_table::layout::{EntryKind, LockValue, ReadLockValue};
use fluo_table::{Mutation, Result, RowColumn};
use fluo_tests::Fixture;

use super::entries::{client_after_20, committed, stamp, text};

/// Returns an application with a void read lock of the returned client on `r page:text`.
async fn with_void_read_lock() -> (Fixture, Client) {
    let fixture = Fixture::in_memory().await;
    let reader = client_after_20(&fixture).await;
    let read_lock =
        ReadLockValue { primary: RowColumn::new("p", text()), transactor: reader.transactor() };
    let left = Mutation::new("r")
        .put_at(text(), stamp(EntryKind::ReadLock, 7), read_lock.encode())
        .put_at(text(), stamp(EntryKind::Write, 10), committed(9, false))
        .put_at(text(), stamp(EntryKind::Data, 9), "v");
    fixture.write(vec![left]).await;
    (fixture, reader)
}

/// Reproduces a bug: a flush dropped the end of a read lock that a later write hides, and its
/// primary was collected. The cell could be written as long as there was no other conflict. But any
/// conflict on it was reported as `Corrupt`, which runners do not retry.
#[tokio::test(start_paused = true)]
async fn reports_a_conflict_despite_a_void_read_lock() {
    let (fixture, reader) = with_void_read_lock().await;
    drop(reader);
    let client = fixture.client().await;
    let alone: Result<()> = client.run(async |tx| tx.set("r", &text(), "w")).await;
    alone.unwrap();

    let late = client.begin().await.unwrap();
    late.set("r", &text(), "x").unwrap();
    let first: Result<()> = client.run(async |tx| tx.set("r", &text(), "y")).await;
    first.unwrap();
    let met = late.commit().await;
    let Err(CommitError::Conflict(conflict)) = met else {
        panic!("{met:?}");
    };
    let message = conflict.to_string();
    assert!(message.contains("committed"), "{message}");
}

/// Reproduces the same bug with a live owner of the void read lock. The primary has no trace of the
/// lock, and a lock of a live owner is left alone. So the conflict named a transaction that had
/// ended long ago instead of the one that had written the cell.
#[tokio::test(start_paused = true)]
async fn names_the_writer_instead_of_the_owner_of_a_void_read_lock() {
    let (fixture, reader) = with_void_read_lock().await;
    let client = fixture.client().await;
    let late = client.begin().await.unwrap();
    late.set("r", &text(), "x").unwrap();
    let first = client.begin().await.unwrap();
    let start = first.start();
    first.set("r", &text(), "y").unwrap();
    first.commit().await.unwrap();
    let Err(CommitError::Conflict(conflict)) = late.commit().await else {
        panic!("no conflict");
    };
    let Some(ConflictCause::Committed { start: named, .. }) = conflict.other else {
        panic!("{conflict}");
    };
    assert_eq!(named, start);
    drop(reader);
}

/// Adds a read lock of the client in front of the void one, whose primary is locked.
async fn lock_in_front(fixture: &Fixture, reader: &Client) {
    let (primary, transactor) = (RowColumn::new("q", text()), reader.transactor());
    let read_lock = ReadLockValue { primary: primary.clone(), transactor };
    let lock =
        LockValue { primary, transactor, is_write: true, is_delete: false, is_trigger: false };
    let locked = [
        Mutation::new("r").put_at(text(), stamp(EntryKind::ReadLock, 15), read_lock.encode()),
        Mutation::new("q").put_at(text(), stamp(EntryKind::Lock, 15), lock.encode()),
    ];
    fixture.write(locked.to_vec()).await;
}

/// The void read lock is met together with one that counts and has to be resolved.
#[tokio::test(start_paused = true)]
async fn resolves_a_read_lock_in_front_of_a_void_one() {
    let (fixture, reader) = with_void_read_lock().await;
    lock_in_front(&fixture, &reader).await;
    drop(reader);
    let client = fixture.client().await;
    let set: Result<()> = client.run(async |tx| tx.set("r", &text(), "w")).await;
    set.unwrap();
}

/// The read lock that counts stays, because its owner is alive, so the void one is met with it.
#[tokio::test(start_paused = true)]
async fn names_the_live_reader_in_front_of_a_void_read_lock() {
    let (fixture, ended) = with_void_read_lock().await;
    drop(ended);
    let reader = fixture.client().await;
    lock_in_front(&fixture, &reader).await;
    let writer = fixture.client().await.begin().await.unwrap();
    writer.set("r", &text(), "w").unwrap();
    let met = writer.commit().await;
    let Err(CommitError::Conflict(conflict)) = met else {
        panic!("{met:?}");
    };
    let Some(ConflictCause::Locking { start, .. }) = conflict.other else {
        panic!("{conflict}");
    };
    assert_eq!(start.get(), 15);
    drop(reader);
}
