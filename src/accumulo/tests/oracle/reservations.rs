//! Reservations of timestamps whose outcome is unknown.
//!
//! A range whose write was not confirmed is never handed out: another oracle may have written the
//! same number.

use std::time::Duration;

use fluo_zookeeper::Operation;
use tokio::time::sleep;

use crate::ground::{Ground, MAX_TIMESTAMP, count};

/// Returns the number in ZooKeeper.
fn reserved(ground: &Ground) -> u64 {
    ground.text(MAX_TIMESTAMP).parse().unwrap()
}

/// Returns the number of timestamps from one on to the end of the reservation.
fn unused(ground: &Ground, first: u64) -> u32 {
    u32::try_from(reserved(ground) - first).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_whose_answer_was_lost_is_not_handed_out() {
    let ground = Ground::new().await;
    let lossy = ground.zookeeper.link();
    let _oracle = ground.leader(&lossy).await;
    let client = ground.oracle_client().await;
    let mut end = client.timestamps(count(3)).await.unwrap().first.get() + 3;
    for _ in 0..5 {
        let before = reserved(&ground);
        // More than is reserved.
        let more = unused(&ground, end) + 5_000;
        lossy.lose_answer(Operation::Multi, "max-timestamp");
        let resume = async {
            lossy.wait_for_cut().await;
            let in_doubt = reserved(&ground);
            lossy.resume();
            in_doubt
        };
        let (taken, in_doubt) = tokio::join!(client.timestamps(count(more)), resume);
        let first = taken.unwrap().first.get();
        assert!(in_doubt >= before + 5_000, "{in_doubt}");
        assert!(first >= in_doubt, "{first} < {in_doubt}");
        end = first + u64::from(more);
        let next = client.timestamps(count(1)).await.unwrap().first.get();
        assert!(next >= end);
        end = next + 1;
    }
    assert!(end <= reserved(&ground));
}

/// A write that had no effect looks like one whose answer was lost, if another oracle has reserved
/// the same range.
#[tokio::test(flavor = "multi_thread")]
async fn a_range_that_another_oracle_has_reserved_is_not_handed_out() {
    let ground = Ground::new().await;
    let lossy = ground.zookeeper.link();
    let _oracle = ground.leader(&lossy).await;
    let client = ground.oracle_client().await;
    let end = client.timestamps(count(3)).await.unwrap().first.get() + 3;
    lossy.cut();
    let same = reserved(&ground) + 5_000;
    // More than is reserved.
    let more = unused(&ground, end) + 5_000;
    let another = async {
        // The write fails meanwhile.
        sleep(Duration::from_millis(500)).await;
        ground.set(MAX_TIMESTAMP, &same.to_string()).await;
        lossy.resume();
    };
    let (taken, ()) = tokio::join!(client.timestamps(count(more)), another);
    let first = taken.unwrap().first.get();
    assert!(first >= same, "{first}");
}

/// The oracle ends its term if the number is not the one that it tried to write.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_continues_after_the_range_of_another_one() {
    let ground = Ground::new().await;
    let lossy = ground.zookeeper.link();
    let _oracle = ground.leader(&lossy).await;
    let client = ground.oracle_client().await;
    let end = client.timestamps(count(3)).await.unwrap().first.get() + 3;
    // More than is reserved, also by a reservation on its way.
    let more = unused(&ground, end) + 50_000;
    lossy.lose_answer(Operation::Multi, "max-timestamp");
    let another = async {
        lossy.wait_for_cut().await;
        let end = reserved(&ground) + 1_000;
        ground.set(MAX_TIMESTAMP, &end.to_string()).await;
        lossy.resume();
        end
    };
    let (taken, end) = tokio::join!(client.timestamps(count(more)), another);
    assert!(taken.unwrap().first.get() >= end);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_oracle_hands_out_no_timestamp_of_a_range_in_doubt() {
    let ground = Ground::new().await;
    let (lossy, other) = (ground.zookeeper.link(), ground.zookeeper.link());
    let _first = ground.leader(&lossy).await;
    let mut standby = ground.oracle(&other).await;
    ground.wait_for_candidates(2).await;
    let client = ground.oracle_client().await;
    let end = client.timestamps(count(3)).await.unwrap().first.get() + 3;
    // More than is reserved, also by a reservation on its way.
    let more = unused(&ground, end) + 50_000;
    lossy.lose_answer(Operation::Multi, "max-timestamp");
    let takeover = async {
        lossy.wait_for_cut().await;
        let in_doubt = reserved(&ground);
        lossy.expire_sessions();
        standby.wait_for_lead().await.unwrap();
        lossy.resume();
        in_doubt
    };
    let (taken, in_doubt) = tokio::join!(client.timestamps(count(more)), takeover);
    let taken = taken.unwrap().first.get();
    assert!(taken >= in_doubt, "{taken} < {in_doubt}");
    let next = client.timestamps(count(1)).await.unwrap().first.get();
    assert!(next >= taken + u64::from(more));
}
