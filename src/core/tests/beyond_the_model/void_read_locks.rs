//! Read locks whose end a server dropped although the lock is in another file.

use fluo_core::layout::{EntryKind, ReadLockValue};
use fluo_core::{CommitError, Mutation, OtherTransaction, Result, RowColumn};

use super::ground::{Ground, committed, stamp, text};

/// A flush dropped the end of a read lock that a later write hides; its primary was collected. While nothing else was in
/// the way the cell could be written. But any conflict on it came back as `Corrupt`, which no runner tries again.
#[tokio::test(start_paused = true)]
async fn a_void_read_lock_leaves_a_conflict_a_conflict() {
    let ground = Ground::new().await;
    let reader = ground.client_after_20().await;
    let read_lock = ReadLockValue {
        primary: RowColumn::new("p", text()),
        transactor: reader.transactor(),
    };
    let left = Mutation::new("r")
        .put_at(text(), stamp(EntryKind::ReadLock, 7), read_lock.encode())
        .put_at(text(), stamp(EntryKind::Write, 10), committed(9, false))
        .put_at(text(), stamp(EntryKind::Data, 9), "v");
    ground.write(vec![left]).await;
    drop(reader);
    let client = ground.client().await;
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
    let told = conflict.to_string();
    assert!(told.contains("committed"), "{told}");
}

/// The same while the owner of the void read lock lives. The primary says nothing of the lock, and a lock of the living is
/// left alone, so the conflict named a transaction that had ended long ago, and not the one that had written the cell.
#[tokio::test(start_paused = true)]
async fn a_conflict_names_no_void_read_lock_of_the_living() {
    let ground = Ground::new().await;
    let reader = ground.client_after_20().await;
    let read_lock = ReadLockValue {
        primary: RowColumn::new("p", text()),
        transactor: reader.transactor(),
    };
    let left = Mutation::new("r")
        .put_at(text(), stamp(EntryKind::ReadLock, 7), read_lock.encode())
        .put_at(text(), stamp(EntryKind::Write, 10), committed(9, false))
        .put_at(text(), stamp(EntryKind::Data, 9), "v");
    ground.write(vec![left]).await;
    let client = ground.client().await;
    let late = client.begin().await.unwrap();
    late.set("r", &text(), "x").unwrap();
    let first = client.begin().await.unwrap();
    let start = first.start();
    first.set("r", &text(), "y").unwrap();
    first.commit().await.unwrap();
    let Err(CommitError::Conflict(conflict)) = late.commit().await else {
        panic!("no conflict");
    };
    let Some(OtherTransaction::Committed { start: named, .. }) = conflict.other else {
        panic!("{conflict}");
    };
    assert_eq!(named, start);
    drop(reader);
}
