//! Garbage collection, and transactions that still need the garbage.

use std::error::Error as _;
use std::num::NonZeroUsize;
use std::time::Duration;

use fluo_engine::{CommitError, SnapshotTooOld};
use fluo_table::{Error, ErrorKind, Instance, Scan, Span};
use futures::TryStreamExt;

use super::accounts::{balance, hasty, read, set};
use crate::Fixture;

pub async fn garbage_collection_changes_no_snapshot(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    for amount in 1..=5 {
        set(&client, &[("alice", amount), ("bob", amount)]).await;
    }
    client.run(async |tx| tx.delete("bob", &balance())).await.unwrap();
    let held = client.snapshot().await.unwrap();
    for amount in 6..=9 {
        set(&client, &[("alice", amount), ("bob", amount)]).await;
    }
    let stored = async || fixture.table.read(Scan::over(Span::all())).await.unwrap().len();
    let before = stored().await;
    collect(&fixture, &client).await;
    let during = stored().await;
    assert!(during < before, "{during} of {before} entries");
    assert_eq!(read(&held, "alice").await, 5);
    assert_eq!(held.get("bob", &balance()).await.unwrap(), None);
    let now = client.snapshot().await.unwrap();
    assert_eq!((read(&now, "alice").await, read(&now, "bob").await), (9, 9));
    drop((held, now));
    collect(&fixture, &client).await;
    // What remains: the value and the write of both cells, and the `TX_DONE` entry of the primary.
    assert!(stored().await <= 5, "{} of {during} entries", stored().await);
    let now = client.snapshot().await.unwrap();
    assert_eq!((read(&now, "alice").await, read(&now, "bob").await), (9, 9));
}

async fn collect(fixture: &Fixture, client: &fluo_engine::Client) {
    client.wait_until_rolled_forward().await;
    client.collect_garbage(&*fixture.tables, &Span::all()).await.unwrap();
}

pub async fn a_snapshot_that_is_too_old_fails(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let options = hasty().max_transaction_age(Duration::from_millis(50));
    let client = fixture.client_of(fixture.table.clone(), options).await;
    set(&client, &[("alice", 1)]).await;
    let leaked = client.snapshot().await.unwrap();
    let tx = client.begin().await.unwrap();
    tx.set("bob", &balance(), "1").unwrap();
    assert_eq!(read(&leaked, "alice").await, 1);
    tokio::time::sleep(Duration::from_millis(80)).await;
    set(&client, &[("alice", 2)]).await;
    let horizon = client.advance_horizon().await.unwrap();
    assert!(leaked.start() < horizon);
    let error = leaked.get("alice", &balance()).await.unwrap_err();
    let start = leaked.start();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        format!(
            "the snapshot at {start} is stale, because garbage below {horizon} may have been collected; take a new snapshot"
        )
    );
    let begun = tx.start();
    let error = tx.commit().await.unwrap_err();
    assert!(
        matches!(error, CommitError::SnapshotTooOld(SnapshotTooOld { start, .. }) if start == begun),
        "{error}"
    );
    let now = client.snapshot().await.unwrap();
    assert_eq!((read(&now, "alice").await, read(&now, "bob").await), (2, 0));
    fixture.wait_until_unlocked().await;
}

/// Checks H3: a transaction past its maximum age does not hold the horizon. It reads as before
/// until garbage that it needs may have been collected. From then on every call of it fails as
/// stale.
pub async fn a_leaked_snapshot_reads_no_wrong_data(instance: Instance) {
    const ACCOUNTS: [&str; 4] = ["alice", "bob", "carol", "dave"];
    let fixture = Fixture::new(&instance).await;
    let options = hasty().max_transaction_age(Duration::from_millis(50));
    let client = fixture.client_of(fixture.table.clone(), options).await;
    set(&client, &ACCOUNTS.map(|account| (account, 1))).await;
    let patient = fixture.client().await;
    let older = patient.snapshot().await.unwrap();
    let (leaked, reader) = (client.snapshot().await, client.begin().await.unwrap());
    let (blind, leaked) = (client.begin().await.unwrap(), leaked.unwrap());
    blind.set("zoe", &balance(), "1").unwrap();
    reader.set("zoe", &balance(), "1").unwrap();
    let all = Scan::over(Span::all()).batch_cells(NonZeroUsize::MIN);
    let mut begun = leaked.scan(all);
    assert_eq!(begun.try_next().await.unwrap().unwrap().len(), 1);
    tokio::time::sleep(Duration::from_millis(80)).await;

    // Another client holds the horizon.
    assert!(client.advance_horizon().await.unwrap() <= older.start());
    set(&client, &[("alice", 2), ("bob", 2)]).await;
    client.run(async |tx| tx.delete("carol", &balance())).await.unwrap();
    collect(&fixture, &client).await;
    for account in ACCOUNTS {
        assert_eq!(read(&leaked, account).await, 1);
    }
    assert_eq!(read(&reader, "alice").await, 1);

    drop(older);
    patient.advance_horizon().await.unwrap();
    collect(&fixture, &client).await;
    let is_stale = |error: Error, at| {
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        let stale = error.source().unwrap().downcast_ref::<SnapshotTooOld>().unwrap();
        assert_eq!(stale.start, at);
    };
    let start = leaked.start();
    for account in ACCOUNTS {
        is_stale(leaked.get(account, &balance()).await.unwrap_err(), start);
    }
    is_stale(leaked.row("alice").await.map(drop).unwrap_err(), start);
    let rest = loop {
        match begun.try_next().await {
            Ok(Some(batch)) => assert!(batch.iter().all(|cell| cell.value == "1"), "{batch:?}"),
            ended => break ended,
        }
    };
    is_stale(rest.map(drop).unwrap_err(), start);
    let locking = reader.with_read_lock();
    let read = locking.get("alice", &balance()).await;
    is_stale(read.unwrap_err(), reader.start());
    for tx in [reader, blind] {
        let error = tx.commit().await.unwrap_err();
        assert!(matches!(error, CommitError::SnapshotTooOld(_)), "{error}");
    }
    let now = client.snapshot().await.unwrap();
    assert_eq!(now.get("zoe", &balance()).await.unwrap(), None);
    fixture.wait_until_unlocked().await;
}
