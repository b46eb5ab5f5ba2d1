//! Garbage, and those who would still have needed it.

use std::sync::Arc;
use std::time::Duration;

use fluo_core::{ClientSettings, CommitError, ErrorKind, Scan, Span, Stale, TableAdmin, TableExt};

use super::scene::{Scene, balance, hasty, read, set};

pub async fn what_is_collected_is_seen_by_no_snapshot(tables: Arc<dyn TableAdmin>) {
    let scene = Scene::new(&tables).await;
    let client = scene.client().await;
    for amount in 1..=5 {
        set(&client, &[("alice", amount), ("bob", amount)]).await;
    }
    client
        .run(async |tx| tx.delete("bob", &balance()))
        .await
        .unwrap();
    let held = client.snapshot().await.unwrap();
    for amount in 6..=9 {
        set(&client, &[("alice", amount), ("bob", amount)]).await;
    }
    let stored = async || {
        scene
            .table
            .read(Scan::over(Span::all()))
            .await
            .unwrap()
            .len()
    };
    let before = stored().await;
    collect(&scene, &client).await;
    let during = stored().await;
    assert!(during < before, "{during} of {before} entries");
    assert_eq!(read(&held, "alice").await, 5);
    assert_eq!(held.get("bob", &balance()).await.unwrap(), None);
    let now = client.snapshot().await.unwrap();
    assert_eq!((read(&now, "alice").await, read(&now, "bob").await), (9, 9));
    drop((held, now));
    collect(&scene, &client).await;
    // Of each cell its value and its write, and of the two transactions' primary that all is done.
    assert!(
        stored().await <= 5,
        "{} of {during} entries",
        stored().await
    );
    let now = client.snapshot().await.unwrap();
    assert_eq!((read(&now, "alice").await, read(&now, "bob").await), (9, 9));
    scene.end().await;
}

async fn collect(scene: &Scene, client: &fluo_core::Client) {
    client
        .collect_garbage(&*scene.tables, &Span::all())
        .await
        .unwrap();
}

pub async fn a_snapshot_that_is_too_old_says_so(tables: Arc<dyn TableAdmin>) {
    let scene = Scene::new(&tables).await;
    let settings = ClientSettings {
        max_transaction_age: Duration::from_millis(50),
        ..hasty()
    };
    let client = scene.client_of(scene.table.clone(), settings).await;
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
            "the snapshot at {start} can no longer be read: garbage was collected up to {horizon}; take a new one"
        )
    );
    let begun = tx.start();
    let error = tx.commit().await.unwrap_err();
    assert!(
        matches!(error, CommitError::Stale(Stale { start, .. }) if start == begun),
        "{error}"
    );
    let now = client.snapshot().await.unwrap();
    assert_eq!((read(&now, "alice").await, read(&now, "bob").await), (2, 0));
    assert_eq!(scene.locked().await, []);
    scene.end().await;
}
