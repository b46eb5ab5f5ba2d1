//! An application that is removed while its oracle runs.

use fluo_table::ErrorKind;
use futures::future::join_all;

use crate::ground::{Ground, ID_NODE, SERVERS};

async fn delete(ground: &Ground, nodes: &[&str]) {
    let deletes = nodes.iter().map(|node| ground.client.delete(node, None));
    for deleted in join_all(deletes).await {
        deleted.unwrap();
    }
}

/// The oracle of a removed application stood for election forever, without a message.
#[tokio::test(flavor = "multi_thread")]
async fn ends_its_oracle_with_an_error() {
    let ground = Ground::new().await;
    let mut oracle = ground.leader(&ground.link).await;
    let monitor = oracle.monitor();
    let node = format!("{SERVERS}/{}", ground.wait_for_candidates(1).await[0]);
    delete(&ground, &[ID_NODE, &node]).await;
    let ended = loop {
        match oracle.wait_for_change().await {
            Ok(leads_at) => assert_eq!(leads_at, None),
            Err(error) => break error,
        }
    };
    assert_eq!(ended.kind(), ErrorKind::NotFound);
    assert_eq!(ended.to_string(), "application `web` does not exist; create it first");
    assert_eq!(oracle.leads_at(), None);
    assert!(oracle.wait_for_lead().await.is_err());
    // The reason outlives the oracle.
    oracle.stop().await;
    assert_eq!(monitor.check().unwrap_err().to_string(), ended.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_its_oracle_also_if_another_one_has_its_name() {
    let ground = Ground::new().await;
    let mut oracle = ground.leader(&ground.link).await;
    ground.set(ID_NODE, "another id").await;
    let ended = loop {
        if let Err(error) = oracle.wait_for_change().await {
            break error;
        }
    };
    assert_eq!(ended.to_string(), "the application `web` was removed, and initialized again");
}

/// A waiting oracle created its node again, without a check of its application.
#[tokio::test(flavor = "multi_thread")]
async fn ends_a_waiting_oracle_whose_node_is_deleted() {
    let ground = Ground::new().await;
    let leader = "_c_42e0d101-410b-4acb-bc07-3be144868247-lock-0000000000";
    ground.create(&format!("{SERVERS}/{leader}"), "localhost:9").await;
    let mut oracle = ground.oracle(&ground.link).await;
    let mut nodes = ground.wait_for_candidates(2).await;
    nodes.retain(|node| node != leader);
    let node = format!("{SERVERS}/{}", nodes[0]);
    delete(&ground, &[ID_NODE, &node]).await;
    let ended = oracle.wait_for_change().await.unwrap_err();
    assert_eq!(ended.kind(), ErrorKind::NotFound);
}
