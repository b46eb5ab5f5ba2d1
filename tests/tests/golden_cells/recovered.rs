//! The writes after a transaction that does not finish: by itself, and by the transactions that
//! meet its locks.

use fluo_engine::{Client, CommitError};

use crate::recorded::{Recorded, balance, transfer};

pub(crate) const GOLDEN: [&str; 3] =
    ["rolled back by its owner", "rolled back by others", "rolled forward by others"];

#[tokio::test]
async fn a_conflicting_transaction_rolls_itself_back() {
    let recorded = Recorded::new().await;
    let client = recorded.client().await;
    let tx = transfer(&client).await;
    client.run(async |other| other.set("bob", &balance(), "1")).await.unwrap();
    recorded.table.hooks().take_notes().await;
    let outcome = tx.commit().await;
    assert!(matches!(outcome, Err(CommitError::Conflict(_))), "{outcome:?}");
    recorded.part_is_on_the_page("rolled back by its owner").await;
}

/// Commits a transfer whose client fails after some calls. Then another client reads bob. Only the
/// calls of the other client are recorded.
async fn fails_after(calls: usize) -> (Recorded, Client) {
    let recorded = Recorded::new().await;
    let (client, others) = (recorded.client().await, recorded.client().await);
    let tx = transfer(&client).await;
    recorded.table.hooks().cut_off_after(calls).await;
    let outcome = tx.commit().await;
    client.wait_until_rolled_forward().await;
    recorded.table.hooks().restore().await;
    drop((client, outcome));
    recorded.table.hooks().take_notes().await;
    recorded.table.hooks().say("another client reads bob").await;
    others.snapshot().await.unwrap().get("bob", &balance()).await.unwrap();
    (recorded, others)
}

#[tokio::test]
async fn others_roll_back_a_transaction_that_fails_before_its_commit() {
    let (recorded, others) = fails_after(2).await;
    recorded.table.hooks().say("and writes dave").await;
    others.run(async |tx| tx.set("dave", &balance(), "6")).await.unwrap();
    recorded.part_is_on_the_page("rolled back by others").await;
}

#[tokio::test]
async fn others_roll_forward_a_transaction_that_fails_after_its_commit() {
    let (recorded, _others) = fails_after(3).await;
    recorded.is_on_the_page("rolled forward by others").await;
}
