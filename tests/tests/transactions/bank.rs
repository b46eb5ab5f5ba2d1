//! Money moves between accounts, and no snapshot ever shows another sum.

use futures::future::join_all;

use fluo_core::{CommitError, Error, OtherTransaction};

use crate::ground::{Ground, amount, balance, read};

const ACCOUNTS: [&str; 4] = ["alice", "bob", "carol", "dave"];

#[tokio::test]
async fn what_is_committed_is_read_by_those_who_begin_later() {
    let ground = Ground::new(vec![]).await;
    let client = ground.client().await;
    let before = client.snapshot().await.unwrap();
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "100").unwrap();
    tx.set("bob", &balance(), "50").unwrap();
    let committed = tx.commit().await.unwrap();
    let after = client.snapshot().await.unwrap();
    assert!(committed.commit.unwrap() > committed.start);
    assert_eq!((read(&before, "alice").await, read(&before, "bob").await), (0, 0));
    assert_eq!((read(&after, "alice").await, read(&after, "bob").await), (100, 50));
}

#[tokio::test]
async fn the_second_of_two_that_write_a_cell_fails_and_says_who_was_first() {
    let ground = Ground::new(vec![]).await;
    let client = ground.client().await;
    let (first, second) = (client.begin().await.unwrap(), client.begin().await.unwrap());
    for tx in [&first, &second] {
        tx.set("alice", &balance(), "1").unwrap();
    }
    let committed = first.commit().await.unwrap();
    let error = second.commit().await.unwrap_err();
    let CommitError::Conflict(conflict) = error else {
        panic!("{error}");
    };
    assert_eq!(conflict.cells.len(), 1);
    assert_eq!(conflict.cells[0].row, "alice");
    let (start, commit) = (committed.start, committed.commit.unwrap());
    assert_eq!(conflict.other, Some(OtherTransaction::Committed { start, commit }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transfers_at_once_keep_the_sum() {
    let ground = Ground::new(vec![]).await;
    let client = ground.client().await;
    client
        .run(async |tx| {
            for account in ACCOUNTS {
                tx.set(account, &balance(), "100")?;
            }
            Ok::<_, Error>(())
        })
        .await
        .unwrap();
    let transfers = (0..8usize).map(|task| {
        let client = client.clone();
        tokio::spawn(async move {
            for round in 0..20usize {
                let (from, to) = (ACCOUNTS[(task + round) % 4], ACCOUNTS[(task * 3 + 1) % 4]);
                if from == to {
                    continue;
                }
                client
                    .run(async |tx| {
                        let payer = amount(tx.get(from, &balance()).await?);
                        let payee = amount(tx.get(to, &balance()).await?);
                        tx.set(from, &balance(), (payer - 7).to_string())?;
                        tx.set(to, &balance(), (payee + 7).to_string())
                    })
                    .await
                    .unwrap();
            }
        })
    });
    let watching = tokio::spawn({
        let client = client.clone();
        async move {
            for _ in 0..50 {
                let snapshot = client.snapshot().await.unwrap();
                let mut sum = 0;
                for account in ACCOUNTS {
                    sum += read(&snapshot, account).await;
                }
                assert_eq!(sum, 400);
            }
        }
    });
    for done in join_all(transfers).await {
        done.unwrap();
    }
    watching.await.unwrap();
}
