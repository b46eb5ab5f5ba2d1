//! C7 and C20: workers, and the list of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{Applications, Share, WorkerMembership};
use fluo_table::layout::{Partition, is_unpartitioned};
use fluo_table::{Bytes, Span, Timestamp};
use futures::future::{join_all, try_join_all};

use super::ground::{Ground, count, without_pauses};

/// Maximum number of times to wait for the effect of a change.
const TRIES: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(10);

/// Creates an application whose workers receive new shares without a pause.
async fn ground(applications: &Arc<dyn Applications>) -> Ground {
    Ground::with(applications, without_pauses()).await
}

async fn shares(workers: &[Box<dyn WorkerMembership>]) -> Vec<Share> {
    // The first worker may have to prepare the shares.
    for worker in workers {
        worker.share().await.unwrap();
    }
    let shares = workers.iter().map(|worker| worker.share());
    let shares = try_join_all(shares).await.unwrap().into_iter();
    shares.map(|share| share.expect("a share")).collect()
}

/// Returns the spans and the part of each share.
fn parts(shares: &[Share]) -> Vec<(&[Span], Partition)> {
    let part = |share| (Share::spans(share), Share::partition(share));
    shares.iter().map(part).collect()
}

/// Waits until the workers have the shares of their ranks. They may notice with a delay that others
/// have left.
async fn assert_shares(workers: &[Box<dyn WorkerMembership>]) {
    let expected = expected(workers.len());
    let mut found = shares(workers).await;
    for _ in 0..TRIES {
        if parts(&found) == parts(&expected) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
        found = shares(workers).await;
    }
    assert_eq!(parts(&found), parts(&expected));
}

fn expected(workers: usize) -> Vec<Share> {
    let workers = u32::try_from(workers).unwrap();
    let share = |rank| Share::new([Span::all()], Partition::new(count(workers), rank).unwrap());
    (0..workers).map(share).collect()
}

/// Checks C7: the share of a worker is its rank among the present ones, in the order in which they
/// joined.
pub async fn c7_shares_are_in_the_order_of_joining(applications: Arc<dyn Applications>) {
    let ground = ground(&applications).await;
    let other = ground.open().await;
    let mut workers = Vec::new();
    for _ in 0..5 {
        workers.push(other.join_workers().await.unwrap());
        assert_shares(&workers).await;
    }
    drop(workers.remove(1));
    assert_shares(&workers).await;
    drop(workers.remove(0));
    assert_shares(&workers).await;
    workers.push(ground.coordination.join_workers().await.unwrap());
    assert_shares(&workers).await;
}

/// Checks C7: every notification is in exactly one of the shares, and an unpartitioned one in at
/// least one.
pub async fn c7_every_cell_is_in_one_share(applications: Arc<dyn Applications>) {
    let ground = ground(&applications).await;
    let join = |_| ground.coordination.join_workers();
    let workers = try_join_all((0..7).map(join)).await.unwrap();
    let shares = shares(&workers).await;
    for row in 0..500 {
        let row = format!("row {row}");
        let owners =
            shares.iter().filter(|share| share.contains(&row.clone().into(), b"\x01f\x01q"));
        assert_eq!(owners.count(), 1, "{row}");
    }
    let (row, qualifier) = (Bytes::from("adb:A0BM"), b"\x01s\x06strong");
    assert!(is_unpartitioned(&row, qualifier));
    assert!(shares.iter().any(|share| share.contains(&row, qualifier)));
}

/// Checks C7: after many workers have joined and left, the remaining ones have all shares.
pub async fn c7_shares_are_complete_after_many_joins(applications: Arc<dyn Applications>) {
    let ground = ground(&applications).await;
    let tasks = (0..6).map(|task| {
        let coordination = ground.coordination.clone();
        tokio::spawn(async move {
            for n in 0..10 {
                let worker = coordination.join_workers().await.unwrap();
                worker.share().await.unwrap();
                if n == 9 && task % 2 == 0 {
                    return Some(worker);
                }
            }
            None
        })
    });
    let stayed: Vec<_> = join_all(tasks).await.into_iter().filter_map(Result::unwrap).collect();
    let mut found = Vec::new();
    for _ in 0..TRIES {
        found = shares(&stayed).await;
        found.sort_by_key(|share| share.partition().remainder());
        if parts(&found) == parts(&expected(3)) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    assert_eq!(parts(&found), parts(&expected(3)));
}

/// Checks C20: the transactors with what they have published, and the workers with their shares,
/// are listed from their begin to their end.
pub async fn c20_processes_are_listed_while_they_are_present(applications: Arc<dyn Applications>) {
    let ground = ground(&applications).await;
    let coordination = &ground.coordination;
    assert!(coordination.presence().await.unwrap().transactors.is_empty());
    let [one, two] = [0, 1].map(|_| coordination.begin_transactor());
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    let oldest = Timestamp::new(7).unwrap();
    two.publish_oldest_active(Some(oldest)).await.unwrap();
    let mut workers = Vec::new();
    for _ in 0..3 {
        workers.push(coordination.join_workers().await.unwrap());
    }
    assert_shares(&workers).await;
    let present = coordination.presence().await.unwrap();
    assert_eq!(present.transactors, BTreeMap::from([(one.id(), None), (two.id(), Some(oldest))]));
    assert_eq!(present.oldest_active(), Some(oldest));
    let shares: Option<Vec<_>> = present.workers.into_iter().map(|(_, share)| share).collect();
    assert_eq!(parts(&shares.unwrap()), parts(&expected(3)));
    drop((two, workers));
    for _ in 0..TRIES {
        let present = coordination.presence().await.unwrap();
        if present.workers.is_empty() && present.transactors.len() == 1 {
            assert_eq!(present.transactors, BTreeMap::from([(one.id(), None)]));
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("ended processes are listed");
}
