//! Oracles that take over from each other while clients request timestamps.

use std::time::{Duration, Instant};

use fluo_accumulo::Oracle;
use fluo_tests::until;
use tokio::time::sleep;

use crate::ground::{Ground, MAX_TIMESTAMP, SERVERS, count};
use crate::load::under_load;

#[tokio::test(flavor = "multi_thread")]
async fn continues_at_the_end_of_the_reservation_of_the_last_leader() {
    let ground = Ground::new().await;
    let client = ground.oracle_client().await;
    for first in [2, 1_002, 2_002] {
        let oracle = ground.leader(&ground.link).await;
        let block = client.timestamps(count(3)).await.unwrap();
        assert_eq!(block.first.get(), first);
        let reserved = ground.text(MAX_TIMESTAMP);
        assert_eq!(reserved, (first + 1_000).to_string());
        oracle.stop().await;
        assert_eq!(ground.zookeeper.children(SERVERS), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_leader_gives_the_lead_away_at_once() {
    let ground = Ground::new().await;
    let link = ground.zookeeper.link();
    let first = ground.leader(&link).await;
    let mut second = ground.oracle(&ground.link).await;
    let third = under_load(&ground, &ground.link, async {
        sleep(Duration::from_millis(300)).await;
        let stopped = Instant::now();
        first.stop().await;
        second.wait_for_lead().await.unwrap();
        // The session of a leader that crashes ends only after this time.
        assert!(stopped.elapsed() < Duration::from_secs(30));
        let mut third = ground.oracle(&ground.link).await;
        sleep(Duration::from_millis(300)).await;
        second.stop().await;
        third.wait_for_lead().await.unwrap();
        third
    })
    .await;
    third.stop().await;
}

/// Tests a regression of servers in Java: any loss of the connection ends the process.
#[tokio::test(flavor = "multi_thread")]
async fn leads_on_through_a_hiccup_of_zookeeper() {
    let ground = Ground::new().await;
    let link = ground.zookeeper.link();
    let oracle = ground.leader(&link).await;
    let address = oracle.leads_at();
    under_load(&ground, &link, async {
        link.cut();
        sleep(Duration::from_secs(1)).await;
        link.resume();
        sleep(Duration::from_secs(1)).await;
    })
    .await;
    assert_eq!(oracle.leads_at(), address, "the same term");
    oracle.stop().await;
}

/// For ZooKeeper, a killed leader is the same. Here its connections to clients stay open.
#[tokio::test(flavor = "multi_thread")]
async fn a_leader_without_zookeeper_is_replaced_and_stands_again() {
    let ground = Ground::new().await;
    let link = ground.zookeeper.link();
    // The shortest session timeout, so that the takeover takes seconds.
    let options = ground.options_with(&link, Duration::from_secs(4));
    let mut first = Oracle::start(options).await.unwrap();
    first.wait_for_lead().await.unwrap();
    let mut second = ground.oracle(&ground.link).await;
    under_load(&ground, &ground.link, async {
        link.cut();
        second.wait_for_lead().await.unwrap();
        assert_eq!(first.leads_at(), None);
        link.resume();
        second.stop().await;
        first.wait_for_lead().await.unwrap();
    })
    .await;
    first.stop().await;
}

/// Tests a regression of servers in Java: the version check alone is no fence. A leader whose
/// reservation was overwritten added 1,000 to the foreign value and went on from its own counter.
#[tokio::test(flavor = "multi_thread")]
async fn a_leader_stops_after_a_foreign_reservation() {
    let ground = Ground::new().await;
    let _leader = ground.leader(&ground.link).await;
    let client = ground.oracle_client().await;
    let before = client.timestamps(count(10)).await.unwrap();
    assert_eq!(before.first.get(), 2);
    ground.set(MAX_TIMESTAMP, "900000").await;
    // More than the rest of the reservation.
    let after = client.timestamps(count(2_000)).await.unwrap();
    assert!(after.first.get() >= 900_000, "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stands_again_after_its_election_node_was_deleted() {
    let ground = Ground::new().await;
    let _leader = ground.leader(&ground.link).await;
    let client = ground.oracle_client().await;
    let before = client.timestamps(count(1)).await.unwrap();
    let names = || ground.zookeeper.children(SERVERS);
    let node = names().remove(0);
    ground.client.delete(&format!("{SERVERS}/{node}"), None).await.unwrap();
    until("the oracle stands again", async || {
        let names = names();
        names.len() == 1 && names[0] != node
    })
    .await;
    let after = client.timestamps(count(1)).await.unwrap();
    assert!(after.first > before.first);
}
