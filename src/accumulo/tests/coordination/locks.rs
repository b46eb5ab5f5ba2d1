//! Duties and exclusive use of several processes.

use fluo_table::ErrorKind;
use fluo_tests::until;
use fluo_zookeeper::Operation;

use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn a_duty_ends_with_the_session_of_its_process() {
    let ground = Ground::new().await;
    let (one, other) = (ground.process().await, ground.process().await);
    one.initialize().await;
    let duty = one.open().await.take_duty("garbage").await.unwrap();
    assert!(duty.is_some());
    let coordination = other.open().await;
    assert!(coordination.take_duty("garbage").await.unwrap().is_none());
    one.link.expire_sessions();
    let taken = coordination.take_duty("garbage").await.unwrap().unwrap();
    assert!(!taken.has_ended());
    let duty = duty.unwrap();
    until("the end of the session", async || duty.has_ended()).await;
    // The lock of the ended session is not that of the other process.
    drop(duty);
    let again = other.open().await.take_duty("garbage").await.unwrap();
    assert!(again.is_none());
}

/// `docs/scale.md` uses the number.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_asks_for_a_duty_of_another_one_with_three_requests() {
    let ground = Ground::new().await;
    let (one, other) = (ground.process().await, ground.process().await);
    one.initialize().await;
    let duty = one.open().await.take_duty("garbage").await.unwrap();
    let coordination = other.open().await;
    let before = other.link.count_without_leases();
    assert!(coordination.take_duty("garbage").await.unwrap().is_none());
    assert_eq!(other.link.count_without_leases() - before, 3);
    drop(duty);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duty_whose_answer_was_lost_is_held_once() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let coordination = process.open().await;
    drop(coordination.take_duty("garbage").await.unwrap());
    process.link.lose_answer(Operation::Multi, "/duties/");
    let take = coordination.take_duty("garbage");
    let (taken, ()) = tokio::join!(take, process.link.resume_after_cut());
    assert!(taken.unwrap().is_some());
}

/// A transactor that had looked for an exclusive user before there was one must not begin after
/// the exclusive user has looked for transactors.
#[tokio::test(flavor = "multi_thread")]
async fn a_transactor_and_an_exclusive_user_exclude_each_other_in_every_order() {
    let ground = Ground::new().await;
    let (one, other) = (ground.process().await, ground.process().await);
    one.initialize().await;
    let (user, beginner) = (one.open().await, other.open().await);
    let own = user.begin_transactor().await.unwrap();
    let mut won = [0, 0];
    for round in 0..60 {
        let pause = async |turns: u32| {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        };
        let beginning = async {
            pause(round % 7 * 5).await;
            beginner.begin_transactor().await
        };
        let excluding = async {
            pause(round % 5 * 5).await;
            user.exclude_others(own.id()).await
        };
        let (begun, alone) = tokio::join!(beginning, excluding);
        assert!(begun.is_err() || alone.is_err(), "round {round}");
        won[0] += u32::from(begun.is_ok());
        won[1] += u32::from(alone.is_ok());
    }
    assert!(won[0] + won[1] > 0, "{won:?}");
}

/// The transactor has looked for an exclusive user before there was one, and begins afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_transactor_does_not_begin_during_an_exclusive_use() {
    let ground = Ground::new().await;
    let (one, other) = (ground.process().await, ground.process().await);
    one.initialize().await;
    let (user, beginner) = (one.open().await, other.open().await);
    let own = user.begin_transactor().await.unwrap();
    let before = other.link.count(Operation::Exists);
    other.link.hold();
    let beginning = tokio::spawn({
        let beginner = beginner.clone();
        async move { beginner.begin_transactor().await }
    });
    // The mark of the application, and the lock of its exclusive use.
    until("the requests", async || other.link.count(Operation::Exists) >= before + 2).await;
    let alone = user.exclude_others(own.id()).await.unwrap();
    other.link.release();
    let refused = beginning.await.unwrap().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    drop(alone);
    until("it begins", async || beginner.begin_transactor().await.is_ok()).await;
}
