//! Election nodes whose creation or deletion has no answer.

use std::time::Duration;

use fluo_accumulo::Oracle;
use fluo_tests::until;
use fluo_zookeeper::Operation;
use futures::future::join_all;
use tokio::time::sleep;

use crate::ground::{Ground, SERVERS, count};

/// An oracle whose creation had no answer looked for its node once, and then created another one in
/// the same session. The first node blocked the election for as long as the process lived.
#[tokio::test(flavor = "multi_thread")]
async fn leads_although_the_answer_to_the_creation_of_its_node_was_lost() {
    let ground = Ground::new().await;
    let (lossy, other) = (ground.zookeeper.link(), ground.zookeeper.link());
    lossy.lose_answer(Operation::Multi, "lock-");
    let first = ground.oracle(&lossy).await;
    lossy.wait_for_cut().await;
    let mut standby = ground.oracle(&other).await;
    ground.wait_for_candidates(2).await;
    lossy.resume();
    while first.leads_at().is_none() {
        let nodes = ground.zookeeper.children(SERVERS);
        assert_eq!(nodes.len(), 2, "one of each oracle: {nodes:?}");
        sleep(Duration::from_millis(5)).await;
    }
    let client = ground.oracle_client().await;
    let before = client.timestamps(count(3)).await.unwrap();
    first.stop().await;
    standby.wait_for_lead().await.unwrap();
    let after = client.timestamps(count(1)).await.unwrap();
    assert!(after.first > before.first);
}

/// A node that appears after its creator has created another one is its own too.
#[tokio::test(flavor = "multi_thread")]
async fn keeps_the_first_of_the_nodes_of_its_session() {
    let ground = Ground::new().await;
    let lossy = ground.zookeeper.link();
    // The creation, and the listing that would find its node.
    lossy.lose_answer(Operation::Multi, "lock-");
    let mut oracle = ground.oracle(&lossy).await;
    lossy.wait_for_cut().await;
    lossy.lose_answer(Operation::GetChildren, SERVERS);
    lossy.resume();
    lossy.resume_after_cut().await;
    oracle.wait_for_lead().await.unwrap();
    ground.wait_for_candidates(1).await;
    oracle.stop().await;
    ground.wait_for_candidates(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_oracle_leaves_no_node_although_the_answer_to_the_deletion_was_lost() {
    let ground = Ground::new().await;
    let lossy = ground.zookeeper.link();
    let oracle = ground.leader(&lossy).await;
    lossy.lose_answer(Operation::Multi, "lock-");
    tokio::join!(oracle.stop(), lossy.resume_after_cut());
    ground.wait_for_candidates(0).await;
}

/// An oracle that stands by read all election nodes every ten seconds and after each event, so the
/// requests grew with the square of the number of oracles.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_that_stands_by_reads_only_new_nodes() {
    let ground = Ground::new().await;
    let link = ground.zookeeper.link();
    let leader = ground.leader(&ground.link).await;
    let other = ground.oracle(&ground.link).await;
    ground.wait_for_candidates(2).await;
    let standby = ground.oracle(&link).await;
    until("its own node", async || standby.monitor().check().is_ok()).await;
    let reads = || link.count(Operation::GetData);
    let before = reads();
    let mut joined = Vec::new();
    for count in 1..=4 {
        joined.push(ground.oracle(&ground.link).await);
        until("a read", async || reads() >= before + count).await;
    }
    assert_eq!(reads() - before, 4);
    join_all(joined.into_iter().chain([standby, other, leader]).map(Oracle::stop)).await;
}
