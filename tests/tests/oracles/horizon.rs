//! The horizon that an oracle computes, stores and announces.

use std::time::Duration;

use fluo_accumulo::OracleClient;
use fluo_table::Timestamp;
use fluo_tests::STUCK;
use tokio::time::{sleep, timeout};
use zookeeper_client::{Acls, CreateMode};

use crate::oracle_ground::{OracleGround, count};

/// The path of a published timestamp.
const PUBLISHED: &str = "/transactor/timestamps/5";

async fn until_stored(ground: &OracleGround, horizon: Timestamp) {
    let stored = async {
        while ground.text("/oracle/gc-timestamp").await != horizon.to_string() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(STUCK, stored).await.unwrap();
}

async fn horizon(client: &OracleClient) -> Timestamp {
    client.timestamps(count(1)).await.unwrap().horizon
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_pass_a_published_timestamp() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let ephemeral = CreateMode::Ephemeral.with_acls(Acls::anyone_all());
    let created = ground.zookeeper.create(PUBLISHED, b"4", &ephemeral).await;
    created.unwrap();
    let oracle = ground.oracle().await;
    let client = ground.client().await;
    client.timestamps(count(20)).await.unwrap();
    until_stored(&ground, Timestamp::new(4).unwrap()).await;
    assert_eq!(horizon(&client).await.get(), 4);

    // A node that is no timestamp protects an unknown part of the data.
    let set = ground.zookeeper.set_data(PUBLISHED, b"later", None);
    set.await.unwrap();
    sleep(Duration::from_millis(600)).await;
    assert_eq!(ground.text("/oracle/gc-timestamp").await, "4");

    ground.zookeeper.delete(PUBLISHED, None).await.unwrap();
    // Above 2 to 21 and the timestamp of the first look at the horizon.
    let next = Timestamp::new(23).unwrap();
    until_stored(&ground, next).await;
    let block = client.timestamps(count(1)).await.unwrap();
    assert_eq!((block.first, block.horizon), (next, next));
    oracle.stop().await;

    let next_oracle = ground.oracle().await;
    assert!(horizon(&client).await >= next, "it never goes back");
    next_oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn adopts_a_higher_horizon_of_another_process() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let ephemeral = CreateMode::Ephemeral.with_acls(Acls::anyone_all());
    let created = ground.zookeeper.create(PUBLISHED, b"2", &ephemeral).await;
    created.unwrap();
    let oracle = ground.oracle().await;
    let client = ground.client().await;
    client.timestamps(count(50)).await.unwrap();
    let set = ground.zookeeper.set_data("/oracle/gc-timestamp", b"30", None);
    set.await.unwrap();
    let announced = async {
        while horizon(&client).await.get() != 30 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(STUCK, announced).await.unwrap();
    // A value that was never handed out is damage.
    let set = ground.zookeeper.set_data("/oracle/gc-timestamp", b"1000000", None);
    set.await.unwrap();
    sleep(Duration::from_millis(300)).await;
    assert_eq!(horizon(&client).await.get(), 30);
    oracle.stop().await;
}
