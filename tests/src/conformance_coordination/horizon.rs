//! C3 to C5: the horizon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fluo_table::Timestamp;
use fluo_table::coordination::Applications;
use futures::FutureExt;
use futures::future::join_all;

use super::ground::{Ground, at, count, next};

/// Checks C3: the horizon begins at 0, and a block contains the current horizon.
pub async fn c3_the_horizon_begins_at_zero_and_is_in_the_blocks(
    applications: Arc<dyn Applications>,
) {
    let ground = Ground::new(&applications).await;
    assert_eq!(ground.coordination.horizon().await.unwrap(), Timestamp::ZERO);
    let block = ground.coordination.timestamps(count(5)).await.unwrap();
    assert_eq!(block.horizon, Timestamp::ZERO);
    let horizon = ground.advance().await;
    let other = ground.open().await;
    assert_eq!(other.horizon().await.unwrap(), horizon);
    let block = other.timestamps(count(1)).await.unwrap();
    assert_eq!(block.horizon, horizon);
    assert!(block.horizon <= block.first);
}

/// Checks C4: if no timestamp is published, the horizon advances to the next timestamp, also before
/// the first one.
pub async fn c4_the_horizon_advances_to_the_next_timestamp(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let before = ground.advance().await;
    assert!(before <= ground.next().await);
    let last = ground.coordination.timestamps(count(2_500)).await.unwrap();
    let last = last.iter().last().unwrap();
    // Alive, with nothing published.
    let _transactor = ground.begin().await;
    let horizon = ground.advance().await;
    assert!(horizon > last, "{horizon} is not above {last}");
    assert_eq!(ground.advance().await, horizon);
    assert!(ground.next().await >= horizon);
}

/// Checks C4: the horizon advances to the oldest published timestamp, also if newer ones are
/// published.
pub async fn c4_the_oldest_published_timestamp_holds_the_horizon(
    applications: Arc<dyn Applications>,
) {
    let ground = Ground::new(&applications).await;
    let (first, second) = (ground.begin().await, ground.begin().await);
    let old = ground.next().await;
    let new = ground.next().await;
    second.publish_oldest_active(Some(new)).await.unwrap();
    first.publish_oldest_active(Some(old)).await.unwrap();
    assert_eq!(ground.advance().await, old);
    first.publish_oldest_active(Some(new)).await.unwrap();
    assert_eq!(ground.advance().await, new);
    // A published timestamp that was not handed out yet does not move the horizon past the next
    // one.
    for transactor in [&first, &second] {
        let far = at(new.get() + 1_000_000);
        transactor.publish_oldest_active(Some(far)).await.unwrap();
    }
    let horizon = ground.advance().await;
    assert!(horizon > new && horizon <= ground.next().await);
}

/// Checks C4 and C5: a published timestamp below the horizon keeps the horizon where it is, and
/// does not move it back.
pub async fn c4_the_horizon_never_goes_back(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let old = ground.next().await;
    let horizon = ground.advance().await;
    assert!(horizon > old);
    let transactor = ground.begin().await;
    transactor.publish_oldest_active(Some(old)).await.unwrap();
    assert_eq!(ground.coordination.horizon().await.unwrap(), horizon);
    ground.next().await;
    assert_eq!(ground.advance().await, horizon);
    transactor.publish_oldest_active(Some(Timestamp::ZERO)).await.unwrap();
    assert_eq!(ground.advance().await, horizon);
}

/// Checks C5: a withdrawal that was cancelled after it was sent does not withdraw a timestamp that
/// was published afterwards.
pub async fn c5_a_cancelled_publication_does_not_overtake_a_later_one(
    applications: Arc<dyn Applications>,
) {
    let ground = Ground::new(&applications).await;
    let transactor = ground.begin().await;
    for _ in 0..20 {
        let oldest = ground.next().await;
        let withdrawal = transactor.publish_oldest_active(None);
        drop(withdrawal.now_or_never());
        let published = transactor.publish_oldest_active(Some(oldest));
        published.await.unwrap();
        ground.next().await;
        assert!(ground.advance().await <= oldest);
    }
}

/// Checks C5: a withdrawn timestamp, and a timestamp of a dropped transactor, do not hold the
/// horizon.
pub async fn c5_a_dropped_transactor_does_not_hold_the_horizon(
    applications: Arc<dyn Applications>,
) {
    let ground = Ground::new(&applications).await;
    let (first, second) = (ground.begin().await, ground.begin().await);
    let old = ground.next().await;
    first.publish_oldest_active(Some(old)).await.unwrap();
    second.publish_oldest_active(Some(old)).await.unwrap();
    ground.next().await;
    assert_eq!(ground.advance().await, old);
    first.publish_oldest_active(None).await.unwrap();
    assert_eq!(ground.advance().await, old);
    drop(second);
    let horizon = ground.advance().await;
    assert!(horizon > old);
    first.publish_oldest_active(None).await.unwrap();
}

/// Checks C5: the horizon is never above a reader, while many transactors publish, request a
/// timestamp and read at it, and other tasks advance the horizon.
pub async fn c5_the_horizon_does_not_pass_a_published_timestamp(
    applications: Arc<dyn Applications>,
) {
    let ground = Ground::new(&applications).await;
    let ends = Arc::new(AtomicBool::new(false));
    let collectors = (0..2).map(|_| {
        let (coordination, ends) = (ground.coordination.clone(), ends.clone());
        tokio::spawn(async move {
            let mut horizon = Timestamp::ZERO;
            while !ends.load(Ordering::SeqCst) {
                let after = coordination.advance_horizon().await.unwrap();
                assert!(after >= horizon, "from {horizon} back to {after}");
                assert!(coordination.horizon().await.unwrap() >= after);
                horizon = after;
                tokio::task::yield_now().await;
            }
        })
    });
    let collectors: Vec<_> = collectors.collect();
    let readers = (0..6).map(|_| {
        let coordination = ground.coordination.clone();
        tokio::spawn(async move {
            for _ in 0..12 {
                let transactor = coordination.begin_transactor().await.unwrap();
                for _ in 0..6 {
                    let published = next(&*coordination).await;
                    transactor.publish_oldest_active(Some(published)).await.unwrap();
                    let held_at = published.max(coordination.horizon().await.unwrap());
                    let start = coordination.timestamps(count(1)).await.unwrap();
                    assert!(start.horizon <= start.first);
                    for _ in 0..8 {
                        let horizon = coordination.horizon().await.unwrap();
                        assert!(horizon <= start.first, "{horizon} above {start:?}");
                        assert!(horizon <= held_at, "{horizon} has passed {held_at}");
                        tokio::task::yield_now().await;
                    }
                }
            }
        })
    });
    join_all(readers).await.into_iter().for_each(Result::unwrap);
    ends.store(true, Ordering::SeqCst);
    join_all(collectors).await.into_iter().for_each(Result::unwrap);
}
