//! Commits in the background.

use std::sync::Arc;

use fluo_core::{ClientSettings, TableAdmin};
use futures::future::join_all;

use super::scene::{Scene, balance, hasty};

pub async fn many_commits_in_the_background_all_come_to_an_end(tables: Arc<dyn TableAdmin>) {
    const COUNT: usize = 300;
    let scene = Scene::new(&tables).await;
    let settings = ClientSettings {
        max_commits_in_flight: 50,
        max_commit_bytes_in_flight: 2_000,
        ..hasty()
    };
    let client = scene.client_of(scene.table.clone(), settings).await;
    let mut pending = Vec::new();
    for number in 0..COUNT {
        let tx = client.begin().await.unwrap();
        // One of them is larger than all the room there is.
        let value = vec![b'x'; if number == 7 { 5_000 } else { 10 }];
        tx.set(format!("row{number:04}"), &balance(), value)
            .unwrap();
        pending.push(client.commit_in_background(tx).await);
    }
    for outcome in join_all(pending).await {
        assert!(outcome.unwrap().commit.is_some());
    }
    let snapshot = client.snapshot().await.unwrap();
    let rows = (0..COUNT).map(|number| format!("row{number:04}").into());
    let found = snapshot.get_rows(rows, [&balance()]).await.unwrap();
    assert_eq!(found.len(), COUNT);
    assert_eq!(scene.locked().await, []);
    scene.end().await;
}
