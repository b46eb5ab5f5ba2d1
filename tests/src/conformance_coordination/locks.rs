//! C15 and C16: duties, and the exclusive use.

use std::sync::Arc;

use fluo_table::ErrorKind;
use fluo_table::coordination::Applications;

use super::ground::Ground;

/// Checks C15: one caller has a duty until it drops it, and other duties are free meanwhile.
pub async fn c15_one_caller_has_a_duty(applications: Arc<dyn Applications>) {
    let (ground, another) = (Ground::new(&applications).await, Ground::new(&applications).await);
    let other = ground.open().await;
    let taken = ground.coordination.take_duty("garbage").await.unwrap();
    assert!(taken.is_some());
    for _ in 0..2 {
        assert!(other.take_duty("garbage").await.unwrap().is_none());
        assert!(ground.coordination.take_duty("garbage").await.unwrap().is_none());
    }
    assert!(other.take_duty("transient-2").await.unwrap().is_some());
    let elsewhere = another.coordination.take_duty("garbage").await.unwrap();
    assert!(elsewhere.is_some(), "a duty of another application");
    drop(taken);
    let taken = other.take_duty("garbage").await.unwrap();
    assert!(taken.is_some());
    for name in ["", "a.b", "a/b", "é"] {
        let refused = other.take_duty(name).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{name}");
    }
}

/// Checks C16: the exclusive use begins only without others, and keeps others out until it ends.
pub async fn c16_nobody_begins_during_an_exclusive_use(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let other = ground.open().await;
    let own = ground.begin().await;
    let unavailable = |kind| assert_eq!(kind, ErrorKind::Unavailable);

    let second = other.begin_transactor().await.unwrap();
    let refused = ground.coordination.exclude_others(own.id()).await;
    let message = refused.unwrap_err().to_string();
    assert!(message.ends_with("is running; stop its clients and workers first"), "{message}");
    drop(second);
    let worker = other.join_workers().await.unwrap();
    unavailable(ground.coordination.exclude_others(own.id()).await.unwrap_err().kind());
    drop(worker);

    let alone = ground.coordination.exclude_others(own.id()).await.unwrap();
    let refused = other.begin_transactor().await.unwrap_err();
    unavailable(refused.kind());
    let message = refused.to_string();
    assert!(message.ends_with("alone; try again when it has ended"), "{message}");
    unavailable(other.join_workers().await.unwrap_err().kind());
    unavailable(other.exclude_others(own.id()).await.unwrap_err().kind());
    assert!(other.is_alive(own.id()).await.unwrap());
    drop(alone);

    drop(other.begin_transactor().await.unwrap());
    drop(other.join_workers().await.unwrap());
    drop(ground.coordination.exclude_others(own.id()).await.unwrap());
}
