//! Transactions that write the same cells.

use fluo_engine::{CommitError, Conflict, ConflictCause};
use fluo_table::Instance;
use futures::future::join_all;

use super::accounts::{balance, balances, cut_off, set};
use crate::Fixture;
use crate::shop::number;

const ACCOUNTS: [&str; 4] = ["alice", "bob", "carol", "dave"];

pub(super) fn conflict(error: CommitError) -> Conflict {
    match error {
        CommitError::Conflict(conflict) => conflict,
        other => panic!("not a conflict: {other}"),
    }
}

pub async fn the_second_writer_of_a_cell_fails_and_names_the_first(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    let (first, second) = (client.begin().await.unwrap(), client.begin().await.unwrap());
    for tx in [&first, &second] {
        tx.set("alice", &balance(), "1").unwrap();
    }
    second.set("zoe", &balance(), "1").unwrap();
    let second_start = second.start();
    let committed = first.commit().await.unwrap();
    let conflict = conflict(second.commit().await.unwrap_err());
    let (start, commit) = (committed.start, committed.commit.unwrap());
    assert_eq!(conflict.start, second_start);
    assert_eq!(conflict.cells.iter().map(|cell| &cell.row[..]).collect::<Vec<_>>(), [b"alice"]);
    assert_eq!(conflict.other, Some(ConflictCause::Committed { start, commit }));
    assert_eq!(
        conflict.to_string(),
        format!(
            "transaction {second_start} conflicts with transaction {start} on `alice account:balance`, which committed \
             at {commit}"
        )
    );
    assert_eq!(balances(&client, ["alice", "zoe"]).await.unwrap(), [1, 0]);
    fixture.wait_until_unlocked().await;
}

pub async fn a_transaction_that_only_read_an_overwritten_cell_commits(instance: Instance) {
    let client = Fixture::new(&instance).await.client().await;
    let reader = client.begin().await.unwrap();
    set(&client, &[("alice", 5)]).await;
    assert_eq!(super::accounts::read(&reader, "alice").await, 0);
    reader.set("bob", &balance(), "7").unwrap();
    reader.commit().await.unwrap();
    let idle = client.begin().await.unwrap().commit().await.unwrap();
    assert_eq!(idle.commit, None, "nothing was written");
}

pub async fn concurrent_transfers_keep_the_sum(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    set(&client, &ACCOUNTS.map(|account| (account, 100))).await;
    let transfers = (0..6usize).map(|task| {
        let client = client.clone();
        tokio::spawn(async move {
            for round in 0..8usize {
                let (from, to) = (ACCOUNTS[(task + round) % 4], ACCOUNTS[(task * 3 + 1) % 4]);
                if from == to {
                    continue;
                }
                let transfer = client.run(async |tx| {
                    let payer = number(tx.get(from, &balance()).await?);
                    let payee = number(tx.get(to, &balance()).await?);
                    tx.set(from, &balance(), (payer - 7).to_string())?;
                    tx.set(to, &balance(), (payee + 7).to_string())
                });
                transfer.await.unwrap();
            }
        })
    });
    let watching = tokio::spawn({
        let client = client.clone();
        async move {
            for _ in 0..20 {
                let sum: i64 = balances(&client, ACCOUNTS).await.unwrap().iter().sum();
                assert_eq!(sum, 400);
            }
        }
    });
    for done in join_all(transfers).await {
        done.unwrap();
    }
    watching.await.unwrap();
    fixture.wait_until_unlocked().await;
}

/// Checks that a transaction that never reads resolves the lock of a crashed client when it
/// conflicts with it. Otherwise every retry would conflict again.
pub async fn a_failed_blind_write_resolves_the_lock_of_a_crashed_client(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let (dying, committed) = cut_off(&fixture, 1).await;
    committed.unwrap_err();
    let transactor = dying.transactor();
    drop(dying);
    let client = fixture.client().await;
    let blind = client.begin().await.unwrap();
    blind.set("alice", &balance(), "3").unwrap();
    let met = conflict(blind.commit().await.unwrap_err());
    assert!(
        matches!(met.other, Some(ConflictCause::Locking { transactor: other, .. }) if other == transactor),
        "{met}"
    );
    fixture.wait_until_unlocked().await;
    let again = client.begin().await.unwrap();
    again.set("alice", &balance(), "3").unwrap();
    again.commit().await.unwrap();
    assert_eq!(balances(&client, ["alice", "bob"]).await.unwrap(), [3, 0]);
}
