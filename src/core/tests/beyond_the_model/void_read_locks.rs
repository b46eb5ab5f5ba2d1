//! Read locks whose end a server dropped although the lock is in another file.

use fluo_core::layout::{EntryKind, ReadLockValue};
use fluo_core::{CommitError, Mutation, Result, RowColumn};

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
