//! Clients that crash, hang or lose an answer at each of their calls.

use std::sync::Arc;

use fluo_engine::{Client, CommitError, CommitInfo};
use fluo_table::Instance;

use super::accounts::{balance, balances, hasty, set};
use crate::{Fault, FaultyTable, Fixture};

const ACCOUNTS: [&str; 3] = ["alice", "bob", "carol"];
const BEFORE: [i64; 3] = [10, 20, 30];
const AFTER: [i64; 3] = [11, 21, 0];

/// Writes three rows: sets two, deletes one, and reads a cell under a lock.
async fn change(client: &Client) -> Result<CommitInfo, CommitError> {
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "11").unwrap();
    tx.set("bob", &balance(), "21").unwrap();
    tx.delete("carol", &balance()).unwrap();
    let guarded = tx.with_read_lock().get("dave", &balance()).await;
    match guarded {
        Ok(_) => {
            let committed = tx.commit().await;
            client.wait_until_rolled_forward().await;
            committed
        }
        // The client was cut off before it wrote anything.
        Err(error) => Err(error.into()),
    }
}

/// Returns the number of writing calls of a transaction without faults.
async fn calls(instance: &Instance) -> usize {
    let fixture = Fixture::new(instance).await;
    set(&fixture.client().await, &[("alice", 10), ("bob", 20), ("carol", 30)]).await;
    let table = Arc::new(FaultyTable::new(fixture.table.clone()));
    let client = fixture.client_of(table.clone(), hasty()).await;
    change(&client).await.unwrap();
    let calls = table.writes();
    fixture.end().await;
    calls
}

/// Checks the result of a transaction that was cut off: the values that the next client reads, and
/// the locks that remain.
async fn check(fixture: &Fixture, outcome: Result<CommitInfo, CommitError>, cut: usize) {
    let client = fixture.client_of(fixture.table.clone(), hasty()).await;
    let seen = balances(&client, ACCOUNTS).await.unwrap();
    match outcome {
        Ok(_) => assert_eq!(seen, AFTER, "cut off after {cut} calls"),
        Err(_) => assert!(seen == BEFORE || seen == AFTER, "cut off after {cut} calls: {seen:?}"),
    }
    // Writes resolve the locks that the reader did not meet.
    set(&client, &[("alice", 1), ("bob", 2), ("carol", 3), ("dave", 4)]).await;
    let seen = balances(&client, ["alice", "bob", "carol", "dave"]).await.unwrap();
    assert_eq!(seen, [1, 2, 3, 4], "cut off after {cut} calls");
    fixture.wait_until_unlocked().await;
}

async fn cut_off_everywhere(instance: Instance, crashes: bool) {
    let mut committed = Vec::new();
    let most = calls(&instance).await;
    let fixture = Fixture::new(&instance).await;
    match fixture.table.together() {
        Some(_) => assert_eq!(most, 1),
        None => assert!(most >= 4, "{most}"),
    }
    fixture.end().await;
    for cut in 0..=most {
        let fixture = Fixture::new(&instance).await;
        set(&fixture.client().await, &[("alice", 10), ("bob", 20), ("carol", 30)]).await;
        let table = Arc::new(FaultyTable::new(fixture.table.clone()).cut_off_from_write(cut));
        let client = fixture.client_of(table, hasty()).await;
        let outcome = change(&client).await;
        let is_committed = outcome.is_ok();
        if crashes {
            drop(client);
            check(&fixture, outcome, cut).await;
        } else {
            check(&fixture, outcome, cut).await;
            drop(client);
        }
        committed.push(is_committed);
        fixture.end().await;
    }
    // If a transaction commits after one cut, it also reports a commit after every later cut.
    assert!(committed.is_sorted(), "{committed:?}");
    assert!(!committed[0] && committed[most]);
}

pub async fn a_commit_is_atomic_if_its_client_crashes_after_any_call(instance: Instance) {
    cut_off_everywhere(instance, true).await;
}

pub async fn a_commit_is_atomic_if_its_client_hangs_after_any_call(instance: Instance) {
    cut_off_everywhere(instance, false).await;
}

/// Checks that the client finds out the outcome of a call whose answer is lost, and commits.
pub async fn a_commit_succeeds_after_a_lost_answer(instance: Instance) {
    for call in 0..calls(&instance).await {
        for fault in [Fault::After, Fault::Lost] {
            let fixture = Fixture::new(&instance).await;
            set(&fixture.client().await, &[("alice", 10), ("bob", 20), ("carol", 30)]).await;
            let table = Arc::new(FaultyTable::new(fixture.table.clone()).fail_write(call, fault));
            let client = fixture.client_of(table, hasty()).await;
            let outcome = change(&client).await;
            assert!(outcome.is_ok(), "{fault:?} of {call}: {outcome:?}");
            check(&fixture, outcome, call).await;
            fixture.end().await;
        }
    }
}
