//! Nodes of a later format, and of a coordination that was restored.

use fluo_table::{ErrorKind, Timestamp};
use zookeeper_client::{Acls, CreateMode};

use crate::ground::Ground;

const FORMAT: &str = "/fluo/web/config/format";
const TIMELINE: &str = "/fluo/web/oracle/timeline";
const COUNT: &str = "/fluo/web/transactor/count";

#[tokio::test(flavor = "multi_thread")]
async fn an_application_in_a_later_format_is_refused() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let coordination = process.open().await;
    assert_eq!(ground.client.get_data(FORMAT).await.unwrap().0, b"1");
    drop(coordination.join_workers().await.unwrap());
    // Applications of Java, and of earlier versions, have no such node.
    ground.client.delete(FORMAT, None).await.unwrap();
    drop(coordination.join_workers().await.unwrap());
    drop(coordination.begin_transactor().await.unwrap());

    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    ground.client.create(FORMAT, b"2", &options).await.unwrap();
    let error = coordination.application().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "a later version of this library has used application `web`, in format `2`; update this program"
    );
    let refused = coordination.join_workers().await.unwrap_err();
    assert_eq!(refused.to_string(), error.to_string());
    // A client that has opened the application before.
    let refused = coordination.begin_transactor().await.unwrap_err();
    assert_eq!(refused.to_string(), error.to_string());
}

/// The ages were unknown, without a reason.
#[tokio::test(flavor = "multi_thread")]
async fn times_of_timestamps_in_a_later_format_are_refused() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let coordination = process.open().await;
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    ground.client.create(TIMELINE, b"2\nlater", &options).await.unwrap();
    let error = coordination.ages(&[Timestamp::MAX]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let sentence = "the times of timestamps have the later format 2; update this program";
    assert_eq!(error.to_string(), sentence);
}

/// ZooKeeper is restored from a backup while programs run.
#[tokio::test(flavor = "multi_thread")]
async fn a_count_below_a_live_transactor_is_damage() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let coordination = process.open().await;
    let _first = coordination.begin_transactor().await.unwrap();
    let second = coordination.begin_transactor().await.unwrap();
    assert_eq!(coordination.last_transactor().await.unwrap(), second.id());
    let lower = 1_u64.to_be_bytes();
    ground.client.set_data(COUNT, &lower, None).await.unwrap();
    let error = coordination.last_transactor().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(
        error.to_string(),
        "transactor 2 of application `web` is alive, and `/transactor/count` has 1"
    );
    drop(second);
    while coordination.last_transactor().await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
