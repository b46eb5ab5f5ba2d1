//! Commits in the background.

use std::time::Duration;

use fluo_engine::{Client, ClientOptions};
use fluo_table::{Instance, RowColumn};
use futures::future::join_all;
use tokio::task::JoinHandle;

use super::accounts::balance;
use super::under_way::{Most, UnderWay, under_way};
use crate::{Fixture, STUCK};

pub async fn all_commits_in_the_background_complete(instance: Instance) {
    const COUNT: usize = 300;
    let fixture = Fixture::new(&instance).await;
    let options = patient().max_commits_in_flight(50).max_commit_bytes_in_flight(2_000);
    let client = fixture.client_of(fixture.table.clone(), options).await;
    // One transaction is larger than the whole limit.
    let values = (0..COUNT).map(|number| if number == 7 { 5_000 } else { 10 });
    bring(&client, values.collect()).await.unwrap();
    check(&fixture, &client, COUNT).await;
}

/// Checks that the number of commits in progress reaches the limit but does not exceed it, and that
/// the caller of the next one waits.
pub async fn commits_in_the_background_are_bounded_in_number(instance: Instance) {
    const BOUND: usize = 50;
    const COUNT: usize = 150;
    let fixture = Fixture::new(&instance).await;
    let table = under_way(&fixture.table);
    let options = patient().max_commits_in_flight(BOUND);
    let client = fixture.client_of(table.clone(), options).await;
    let bringing = bring(&client, vec![10; COUNT]);
    is_full_with(table.hooks(), BOUND).await;
    table.hooks().latch.open();
    bringing.await.unwrap();
    assert_eq!(table.hooks().most().transactions, BOUND);
    check(&fixture, &client, COUNT).await;
}

pub async fn commits_in_the_background_are_bounded_in_bytes(instance: Instance) {
    /// Size of a value that makes 100 bytes together with its row, `row0000`, and its column,
    /// `account:balance`.
    const VALUE_BYTES: usize = 79;
    const LARGE: usize = 5_000;
    let fixture = Fixture::new(&instance).await;
    let table = under_way(&fixture.table);
    let options = patient().max_commit_bytes_in_flight(1_000);
    let client = fixture.client_of(table.clone(), options).await;
    let mut values = vec![VALUE_BYTES; 60];
    let bringing = bring(&client, values.clone());
    is_full_with(table.hooks(), 10).await;
    let ten_of_them = Most { transactions: 10, value_bytes: 10 * VALUE_BYTES };
    assert_eq!(table.hooks().most(), ten_of_them);
    table.hooks().latch.open();
    bringing.await.unwrap();
    assert_eq!(table.hooks().most(), ten_of_them);

    // A transaction that is larger than the limit waits for all others, and all others wait for it.
    let table = under_way(&fixture.table);
    let options = patient().max_commit_bytes_in_flight(1_000);
    let client = fixture.client_of(table.clone(), options).await;
    values[30] = LARGE;
    table.hooks().latch.open();
    bring(&client, values).await.unwrap();
    assert_eq!(table.hooks().most().value_bytes, LARGE);
    check(&fixture, &client, 60).await;
}

pub async fn thousands_of_commits_are_in_flight_at_once(instance: Instance) {
    const COUNT: usize = 2_000;
    let fixture = Fixture::new(&instance).await;
    let table = under_way(&fixture.table);
    let options = patient().max_commits_in_flight(COUNT);
    let client = fixture.client_of(table.clone(), options).await;
    let bringing = bring(&client, vec![10; COUNT]);
    is_full_with(table.hooks(), COUNT).await;
    table.hooks().latch.open();
    bringing.await.unwrap();
    check(&fixture, &client, COUNT).await;
}

/// Returns settings for commits that wait long for each other on a slow machine.
fn patient() -> ClientOptions {
    ClientOptions::new().max_elapsed(STUCK)
}

/// Spawns a task that commits a row for each value, of the given number of bytes, in the
/// background, and waits for all outcomes.
fn bring(client: &Client, values: Vec<usize>) -> JoinHandle<()> {
    let client = client.clone();
    tokio::spawn(async move {
        let mut pending = Vec::new();
        for (number, bytes) in values.into_iter().enumerate() {
            let tx = client.begin().await.unwrap();
            tx.set(row(number), &balance(), vec![b'x'; bytes]).unwrap();
            pending.push(client.commit_in_background(tx).await);
        }
        for outcome in join_all(pending).await {
            assert!(outcome.unwrap().commit.is_some());
        }
    })
}

/// Waits until a number of transactions is in progress, and checks that no other one begins while
/// none completes.
async fn is_full_with(counted: &UnderWay, transactions: usize) {
    assert!(counted.reaches(transactions, STUCK).await, "only {:?} are under way", counted.most());
    let another = counted.reaches(transactions + 1, Duration::from_millis(200));
    assert!(!another.await, "{:?} are under way", counted.most());
}

fn row(number: usize) -> String {
    format!("row{number:04}")
}

/// Checks that each row has a value and that no cell is locked.
async fn check(fixture: &Fixture, client: &Client, count: usize) {
    let snapshot = client.snapshot().await.unwrap();
    let cells = (0..count).map(|number| RowColumn::new(row(number), balance()));
    let found = snapshot.get_many(cells).await.unwrap();
    assert_eq!(found.len(), count);
    fixture.wait_until_unlocked().await;
}
