//! Oracles that take over from each other while clients request timestamps.

use std::time::{Duration, Instant};

use fluo_accumulo::{Oracle, OracleClient};
use fluo_tests::STUCK;
use futures::future::join_all;
use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};

use crate::oracle_ground::{Call, OracleGround, check, count, request_until};

/// Requests timestamps by several tasks of several clients.
async fn load(clients: &[OracleClient], time: Duration) -> Vec<Call> {
    let until = Instant::now() + time;
    let tasks = clients.iter().flat_map(|client| (0..4).map(move |_| request_until(client, until)));
    join_all(tasks).await.concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn continues_at_the_end_of_the_reservation_of_the_last_leader() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let client = ground.client().await;
    for first in [2, 1_002, 2_002] {
        let mut oracle = ground.oracle().await;
        oracle.wait_for_lead().await.unwrap();
        let block = client.timestamps(count(3)).await.unwrap();
        assert_eq!(block.first.get(), first);
        let reserved = ground.text("/oracle/max-timestamp").await;
        assert_eq!(reserved, (first + 1_000).to_string());
        oracle.stop().await;
        let left = ground.zookeeper.list_children("/oracle/server").await;
        assert_eq!(left.unwrap(), [] as [String; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_leader_gives_the_lead_away_at_once() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    // The session of a leader that crashes ends only after this time.
    let session = Duration::from_secs(30);
    let options = ground.options().session_timeout(session);
    let mut first = Oracle::start(options).await.unwrap();
    first.wait_for_lead().await.unwrap();
    let mut second = ground.oracle().await;
    let clients = [ground.client().await, ground.client().await];
    let stop = async {
        sleep(Duration::from_millis(700)).await;
        let stopped = Instant::now();
        first.stop().await;
        second.wait_for_lead().await.unwrap();
        assert!(stopped.elapsed() < session);
        sleep(Duration::from_millis(300)).await;
        let third = ground.oracle().await;
        sleep(Duration::from_millis(300)).await;
        second.stop().await;
        third
    };
    let (calls, third) = tokio::join!(load(&clients, Duration::from_secs(3)), stop);
    check(calls);
    assert!(third.leads_at().is_some());
}

/// A runtime that is shut down drops all its tasks: the connections are reset, and the session ends
/// only after its timeout, as after a kill.
#[test]
fn another_oracle_takes_over_from_a_killed_one() {
    let here = Runtime::new().unwrap();
    here.block_on(async {
        let Some(ground) = OracleGround::new().await else {
            return;
        };
        // Only `shutdown_background` may end a runtime inside another one.
        let other = Runtime::new().unwrap();
        let options = ground.options();
        let start = other.spawn(async move {
            let mut oracle = Oracle::start(options).await.unwrap();
            oracle.wait_for_lead().await.unwrap();
            oracle
        });
        std::mem::forget(start.await.unwrap());
        let mut second = ground.oracle().await;
        let clients = [ground.client().await, ground.client().await];
        let kill = async {
            sleep(Duration::from_millis(500)).await;
            other.shutdown_background();
            second.wait_for_lead().await.unwrap();
        };
        let (calls, ()) = tokio::join!(load(&clients, Duration::from_secs(10)), kill);
        check(calls);
        for client in &clients {
            client.timestamps(count(1)).await.unwrap();
        }
    });
}

/// Tests a regression of servers in Java: the version check alone is no fence. A leader whose
/// reservation was overwritten added 1,000 to the foreign value and went on from its own counter.
#[tokio::test(flavor = "multi_thread")]
async fn a_leader_stops_after_a_foreign_reservation() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let mut oracle = ground.oracle().await;
    oracle.wait_for_lead().await.unwrap();
    let client = ground.client().await;
    let before = client.timestamps(count(10)).await.unwrap();
    assert_eq!(before.first.get(), 2);
    let written = ground.zookeeper.set_data("/oracle/max-timestamp", b"900000", None);
    written.await.unwrap();
    // More than the rest of the reservation.
    let after = client.timestamps(count(2_000)).await.unwrap();
    assert!(after.first.get() >= 900_000, "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stands_again_after_its_election_node_was_deleted() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let mut oracle = ground.oracle().await;
    oracle.wait_for_lead().await.unwrap();
    let client = ground.client().await;
    let before = client.timestamps(count(1)).await.unwrap();
    let nodes = ground.zookeeper.list_children("/oracle/server");
    let node = nodes.await.unwrap().remove(0);
    let delete = ground.zookeeper.delete(&format!("/oracle/server/{node}"), None);
    delete.await.unwrap();
    let stands_again = async {
        let is_new = |names: Vec<String>| names.len() == 1 && names[0] != node;
        while !is_new(ground.zookeeper.list_children("/oracle/server").await.unwrap()) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(STUCK, stands_again).await.unwrap();
    let after = client.timestamps(count(1)).await.unwrap();
    assert!(after.first > before.first);
}
