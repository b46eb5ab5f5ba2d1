//! What is written when a transaction does not come to its end, by itself and by those who meet it.

use fluo_core::CommitError;

use crate::ground::{Ground, balance, transfer};

pub(crate) const GOLDEN: [&str; 3] = [
    "rolled back by its owner",
    "rolled back by others",
    "rolled forward by others",
];

#[tokio::test]
async fn one_that_meets_another_rolls_itself_back() {
    let ground = Ground::new().await;
    let client = ground.client().await;
    let tx = transfer(&client).await;
    ground.table.say("another one writes bob").await;
    client
        .run(async |other| other.set("bob", &balance(), "1"))
        .await
        .unwrap();
    ground.table.say("the transfer is committed").await;
    let outcome = tx.commit().await;
    assert!(
        matches!(outcome, Err(CommitError::Conflict(_))),
        "{outcome:?}"
    );
    ground.is_on_the_page("rolled back by its owner").await;
}

/// What is left of a transfer whose client dies after some calls, and what a reader of bob and a writer of carol and
/// dave make of it.
async fn dies_after(calls: usize) -> Ground {
    let ground = Ground::new().await;
    let (client, others) = (ground.client().await, ground.client().await);
    let tx = transfer(&client).await;
    ground.table.cut_off_after(calls).await;
    let outcome = tx.commit().await;
    ground.table.mend().await;
    drop((client, outcome));
    ground
        .table
        .say("its client crashes; another client reads bob")
        .await;
    others
        .snapshot()
        .await
        .unwrap()
        .get("bob", &balance())
        .await
        .unwrap();
    ground.table.say("and writes carol and dave").await;
    let writes = async |tx: fluo_core::Transaction| {
        tx.set("carol", &balance(), "5")?;
        tx.set("dave", &balance(), "6")
    };
    others.run(writes).await.unwrap();
    ground
}

#[tokio::test]
async fn one_that_dies_before_it_commits_is_rolled_back_by_others() {
    let ground = dies_after(2).await;
    ground.is_on_the_page("rolled back by others").await;
}

#[tokio::test]
async fn one_that_dies_once_it_has_committed_is_rolled_forward_by_others() {
    let ground = dies_after(3).await;
    ground.is_on_the_page("rolled forward by others").await;
}
