//! C7: workers.

use std::sync::Arc;

use fluo_table::coordination::{Applications, WorkerMembership};
use fluo_table::layout::Partition;
use futures::future::{join_all, try_join_all};

use super::ground::{Ground, count};

async fn shares(workers: &[Box<dyn WorkerMembership>]) -> Vec<Partition> {
    let shares = workers.iter().map(|worker| worker.share());
    try_join_all(shares).await.unwrap()
}

fn expected(workers: u32) -> Vec<Partition> {
    let share = |rank| Partition::new(count(workers), rank).unwrap();
    (0..workers).map(share).collect()
}

/// Checks C7: the share of a worker is its rank among the present ones, in the order in which they
/// joined.
pub async fn c7_shares_are_in_the_order_of_joining(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let other = ground.open().await;
    let mut workers = Vec::new();
    for present in 1..=5 {
        workers.push(other.join_workers().await.unwrap());
        assert_eq!(shares(&workers).await, expected(present));
    }
    drop(workers.remove(1));
    assert_eq!(shares(&workers).await, expected(4));
    drop(workers.remove(0));
    assert_eq!(shares(&workers).await, expected(3));
    workers.push(ground.coordination.join_workers().await.unwrap());
    assert_eq!(shares(&workers).await, expected(4));
    drop(workers);
    ground.end().await;
}

/// Checks C7: every notification is in exactly one of the shares.
pub async fn c7_every_cell_is_in_one_share(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let join = |_| ground.coordination.join_workers();
    let workers = try_join_all((0..7).map(join)).await.unwrap();
    let shares = shares(&workers).await;
    for row in 0..500 {
        let row = format!("row {row}");
        let owners = shares
            .iter()
            .filter(|share| share.contains(row.as_bytes(), b"\x01f\x01q"));
        assert_eq!(owners.count(), 1, "{row}");
    }
    drop(workers);
    ground.end().await;
}

/// Checks C7: after many workers have joined and left, the remaining ones have all shares.
pub async fn c7_shares_are_complete_after_many_joins(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let tasks = (0..6).map(|task| {
        let coordination = ground.coordination.clone();
        tokio::spawn(async move {
            for n in 0..10 {
                let worker = coordination.join_workers().await.unwrap();
                let share = worker.share().await.unwrap();
                assert!(share.remainder() < share.divisor().get());
                if n == 9 && task % 2 == 0 {
                    return Some(worker);
                }
            }
            None
        })
    });
    let stayed: Vec<_> = join_all(tasks)
        .await
        .into_iter()
        .filter_map(Result::unwrap)
        .collect();
    let mut shares = shares(&stayed).await;
    shares.sort_by_key(|share| share.remainder());
    assert_eq!(shares, expected(3));
    drop(stayed);
    ground.end().await;
}
