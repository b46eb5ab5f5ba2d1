//! C18, for a coordination that supports commits in one step. On others these functions check
//! nothing.

use std::sync::Arc;

use fluo_table::Timestamp;
use fluo_table::coordination::{Applications, PendingCommit};
use futures::FutureExt;

use super::ground::{Ground, at, count};

/// Begins the commit of a transaction, or returns `None` if it is not supported.
async fn begin(ground: &Ground, start: Timestamp) -> Option<PendingCommit> {
    ground.coordination.begin_commit(start).await.unwrap()
}

/// Checks C18: timestamps are handed out once the pending commits below them have ended, in any
/// order and across handles, and a cancelled caller disturbs no other one.
pub async fn c18_timestamps_wait_for_lower_commits(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    // A question that needs no timestamp, for a coordination without an oracle.
    let Some(first) = begin(&ground, at(0)).await else { return };
    let other = ground.open().await;
    let second = other.begin_commit(at(0)).await.unwrap().unwrap();
    assert!(second.timestamp() > first.timestamp());
    let mut starts = other.timestamps(count(2)).boxed();
    assert!((&mut starts).now_or_never().is_none());
    assert!(ground.coordination.timestamps(count(1)).now_or_never().is_none());
    drop(second);
    assert!((&mut starts).now_or_never().is_none());
    let last = first.timestamp();
    drop(first);
    let starts = starts.await.unwrap();
    assert!(starts.first > last);
    assert!(ground.next().await > starts.iter().last().unwrap());
}

/// Checks C18: timestamps do not wait for later commits, and a commit waits for nothing. So neither
/// is held up for ever.
pub async fn c18_timestamps_do_not_wait_for_later_commits(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let Some(first) = begin(&ground, at(0)).await else { return };
    let mut starts = ground.coordination.timestamps(count(1)).boxed();
    assert!((&mut starts).now_or_never().is_none());
    let later = begin(&ground, at(0)).await.unwrap();
    drop(first);
    let starts = starts.await.unwrap();
    assert!(starts.first < later.timestamp());
}

/// Checks C18 and C3: the horizon does not pass the start of a pending commit, and a commit
/// receives the horizon in force.
pub async fn c18_the_horizon_does_not_pass_a_pending_commit(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    if begin(&ground, at(0)).await.is_none() {
        return;
    }
    let (start, later) = (ground.next().await, ground.next().await);
    let pending = begin(&ground, start).await.unwrap();
    assert_eq!(pending.horizon(), Timestamp::ZERO);
    assert_eq!(ground.advance().await, start);
    let other = begin(&ground, later).await.unwrap();
    assert_eq!(other.horizon(), start);
    drop(pending);
    assert_eq!(ground.advance().await, later);
    drop(other);
    let horizon = ground.advance().await;
    assert!(horizon > later);
    // A start below the horizon does not take it back.
    let _late = begin(&ground, start).await.unwrap();
    assert_eq!(ground.advance().await, horizon);
}
