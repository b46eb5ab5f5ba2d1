//! Oracles of an application that a later version of this library has used.

use fluo_accumulo::Oracle;
use fluo_table::ErrorKind;

use crate::ground::{Ground, ROOT, SERVERS};

const REFUSED: &str = "a later version of this library has used application `web`, in format `2`; update this program";

/// An oracle handed out timestamps for an application in a format that it does not have.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_refuses_a_later_format() {
    let ground = Ground::new().await;
    let format = format!("{ROOT}/config/format");
    ground.create(&format, "1").await;
    ground.leader(&ground.link).await.stop().await;
    ground.set(&format, "2").await;
    let refused = Oracle::start(ground.options(&ground.link)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert_eq!(refused.to_string(), REFUSED);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_is_no_candidate_again_in_a_later_format() {
    let ground = Ground::new().await;
    let mut oracle = ground.leader(&ground.link).await;
    ground.create(&format!("{ROOT}/config/format"), "2").await;
    let node = format!("{SERVERS}/{}", ground.wait_for_candidates(1).await[0]);
    ground.client.delete(&node, None).await.unwrap();
    let ended = loop {
        match oracle.wait_for_change().await {
            Ok(leads_at) => assert_eq!(leads_at, None),
            Err(error) => break error,
        }
    };
    assert_eq!(ended.to_string(), REFUSED);
}

/// An oracle that had waited since an earlier format led in the later one.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_that_waits_does_not_lead_in_a_later_format() {
    let ground = Ground::new().await;
    let link = ground.zookeeper.link();
    let leader = ground.leader(&ground.link).await;
    let mut waiting = ground.oracle(&link).await;
    ground.wait_for_candidates(2).await;
    ground.create(&format!("{ROOT}/config/format"), "2").await;
    leader.stop().await;
    let ended = loop {
        match waiting.wait_for_change().await {
            Ok(leads_at) => assert_eq!(leads_at, None),
            Err(error) => break error,
        }
    };
    assert_eq!(ended.to_string(), REFUSED);
}
