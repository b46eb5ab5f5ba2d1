//! Clients that may read a table and not write it.

use fluo_core::coordination::Applications;
use fluo_core::{Client, ClientSettings, Column, Scan, Span};
use futures::TryStreamExt;

use super::ground::{Gated, Ground};

fn column() -> Column {
    Column::new("f", "q")
}

/// A user with the permission to read met the locks of a transaction that had committed and had not turned all of them
/// yet. The read failed with `Denied`, because a reader turns such locks; the transaction was healthy.
#[tokio::test(start_paused = true)]
async fn a_client_that_may_not_write_reads_past_the_locks_of_a_commit() {
    let ground = Ground::new().await;
    let before = ground.client().await;
    for (row, value) in [("a", "0"), ("b", "0"), ("c", "0"), ("d", "0")] {
        let written: fluo_core::Result<()> =
            before.run(async |tx| tx.set(row, &column(), value)).await;
        written.unwrap();
    }
    let stalled = Gated::after(3, &ground.table);
    let writer = ground.client_on(stalled.clone()).await;
    let tx = writer.begin().await.unwrap();
    tx.set("a", &column(), "1").unwrap();
    tx.set("b", &column(), "1").unwrap();
    tx.delete("c", &column()).unwrap();
    let commit = tokio::spawn(tx.commit());
    stalled.wait_until_stalled().await;

    let denied = Gated::denied(&ground.table);
    let coordination = ground.applications.open("web").await.unwrap();
    let reader = Client::open(denied, coordination, ClientSettings::default());
    let snapshot = reader.await.unwrap().snapshot().await.unwrap();
    let cells = snapshot.scan(Scan::over(Span::all())).try_concat().await;
    let read: Vec<_> = cells
        .unwrap()
        .into_iter()
        .map(|cell| (cell.key.row, cell.value))
        .collect();
    let pairs = [("a", "1"), ("b", "1"), ("d", "0")];
    assert_eq!(read, pairs.map(|(row, value)| (row.into(), value.into())));
    assert_eq!(snapshot.get("c", &column()).await.unwrap(), None);
    stalled.open();
    commit.await.unwrap().unwrap();
}

/// The same where the transaction was rolled back and one of its locks was left: the reader reads what was before it.
#[tokio::test(start_paused = true)]
async fn a_client_that_may_not_write_reads_past_the_locks_of_a_rollback() {
    let ground = Ground::new().await;
    let before = ground.client().await;
    let written: fluo_core::Result<()> = before.run(async |tx| tx.set("b", &column(), "0")).await;
    written.unwrap();
    let stalled = Gated::after(2, &ground.table);
    let writer = ground.client_on(stalled.clone()).await;
    let tx = writer.begin().await.unwrap();
    tx.set("a", &column(), "1").unwrap();
    tx.set("b", &column(), "1").unwrap();
    let commit = tokio::spawn(tx.commit());
    stalled.wait_until_stalled().await;
    commit.abort();
    let ended = ground
        .applications
        .end_transactor("web", writer.transactor());
    assert!(ended.unwrap());
    // Rolls the primary back, and not the other lock.
    let snapshot = before.snapshot().await.unwrap();
    assert_eq!(snapshot.get("a", &column()).await.unwrap(), None);

    let reader = ground.client_on(Gated::denied(&ground.table)).await;
    let snapshot = reader.snapshot().await.unwrap();
    let value = snapshot.get("b", &column()).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"0"[..]));
}
