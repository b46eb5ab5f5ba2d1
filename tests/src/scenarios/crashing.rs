//! One that dies, or hangs, or loses an answer, at each of its calls.

use std::sync::Arc;

use fluo_core::{Client, CommitError, Committed};

use super::cutting::{CutTable, Lost};
use super::instance::Instance;
use super::scene::{Scene, balance, balances, hasty, set};

const ACCOUNTS: [&str; 3] = ["alice", "bob", "carol"];
const BEFORE: [i64; 3] = [10, 20, 30];
const AFTER: [i64; 3] = [11, 21, 0];

/// Writes three rows: two are set, one is deleted, and a cell is read under a lock.
async fn change(client: &Client) -> Result<Committed, CommitError> {
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "11").unwrap();
    tx.set("bob", &balance(), "21").unwrap();
    tx.delete("carol", &balance()).unwrap();
    let guarded = tx.with_read_lock().get("dave", &balance()).await;
    match guarded {
        Ok(_) => tx.commit().await,
        // Cut off before anything was written.
        Err(error) => Err(error.into()),
    }
}

/// The number of changing calls of a transaction that nothing happens to.
async fn calls(instance: &Instance) -> usize {
    let scene = Scene::new(instance).await;
    set(
        &scene.client().await,
        &[("alice", 10), ("bob", 20), ("carol", 30)],
    )
    .await;
    let table = Arc::new(CutTable::after(scene.table.clone(), usize::MAX));
    let client = scene.client_of(table.clone(), hasty()).await;
    change(&client).await.unwrap();
    let calls = table.calls();
    scene.end().await;
    calls
}

/// What the next one sees, and what is left, after one was cut off.
async fn check(scene: &Scene, outcome: Result<Committed, CommitError>, cut: usize) {
    let client = scene.client_of(scene.table.clone(), hasty()).await;
    let seen = balances(&client, ACCOUNTS).await.unwrap();
    match outcome {
        Ok(_) => assert_eq!(seen, AFTER, "cut off after {cut} calls"),
        Err(_) => assert!(
            seen == BEFORE || seen == AFTER,
            "cut off after {cut} calls: {seen:?}"
        ),
    }
    // What the reader did not meet a writer does.
    set(
        &client,
        &[("alice", 1), ("bob", 2), ("carol", 3), ("dave", 4)],
    )
    .await;
    let seen = balances(&client, ["alice", "bob", "carol", "dave"])
        .await
        .unwrap();
    assert_eq!(seen, [1, 2, 3, 4], "cut off after {cut} calls");
    assert_eq!(scene.locked().await, [], "cut off after {cut} calls");
}

async fn cut_off_everywhere(instance: Instance, dies: bool) {
    let mut committed = Vec::new();
    let most = calls(&instance).await;
    let scene = Scene::new(&instance).await;
    match scene.table.together() {
        Some(_) => assert_eq!(most, 2),
        None => assert!(most >= 4, "{most}"),
    }
    scene.end().await;
    for cut in 0..=most {
        let scene = Scene::new(&instance).await;
        set(
            &scene.client().await,
            &[("alice", 10), ("bob", 20), ("carol", 30)],
        )
        .await;
        let table = Arc::new(CutTable::after(scene.table.clone(), cut));
        let client = scene.client_of(table, hasty()).await;
        let outcome = change(&client).await;
        let is_committed = outcome.is_ok();
        if dies {
            drop(client);
            check(&scene, outcome, cut).await;
        } else {
            check(&scene, outcome, cut).await;
            drop(client);
        }
        committed.push(is_committed);
        scene.end().await;
    }
    // Once it has committed it says so, whatever is cut off after it.
    assert!(committed.is_sorted(), "{committed:?}");
    assert!(!committed[0] && committed[most]);
}

pub async fn a_commit_is_atomic_if_its_client_crashes_after_any_call(instance: Instance) {
    cut_off_everywhere(instance, true).await;
}

pub async fn a_commit_is_atomic_if_its_client_hangs_after_any_call(instance: Instance) {
    cut_off_everywhere(instance, false).await;
}

/// Whether a call whose answer is lost took effect is found out, and the transaction commits.
pub async fn a_commit_succeeds_after_a_lost_answer(instance: Instance) {
    for call in 0..calls(&instance).await {
        for is_applied in [true, false] {
            let scene = Scene::new(&instance).await;
            set(
                &scene.client().await,
                &[("alice", 10), ("bob", 20), ("carol", 30)],
            )
            .await;
            let lost = Lost { call, is_applied };
            let table = Arc::new(CutTable::losing(scene.table.clone(), lost));
            let client = scene.client_of(table, hasty()).await;
            let outcome = change(&client).await;
            assert!(outcome.is_ok(), "{lost:?}: {outcome:?}");
            check(&scene, outcome, call).await;
            scene.end().await;
        }
    }
}
