//! The horizon that an oracle computes, stores and announces.

use std::time::Duration;

use fluo_accumulo::{Oracle, OracleClient};
use fluo_table::Timestamp;
use fluo_tests::until;
use tokio::time::sleep;
use zookeeper_client::{Acls, CreateMode};

use crate::ground::{Ground, HORIZON, count};

/// The path of a published timestamp.
const PUBLISHED: &str = "/fluo/web/transactor/timestamps/5";

async fn publish(ground: &Ground, timestamp: &[u8]) {
    let ephemeral = CreateMode::Ephemeral.with_acls(Acls::anyone_all());
    ground.client.create(PUBLISHED, timestamp, &ephemeral).await.unwrap();
}

/// Starts an oracle that looks at the horizon often.
async fn start(ground: &Ground) -> Oracle {
    let options = ground.options(&ground.link).horizon_period(Duration::from_millis(200));
    Oracle::start(options).await.unwrap()
}

async fn until_stored(ground: &Ground, horizon: Timestamp) {
    let is_stored = async || ground.text(HORIZON) == horizon.to_string();
    until("the horizon is stored", is_stored).await;
}

async fn horizon(client: &OracleClient) -> Timestamp {
    client.timestamps(count(1)).await.unwrap().horizon
}

/// Starts an oracle whose horizon a published timestamp holds at 4.
async fn held_at_4(ground: &Ground) -> (Oracle, OracleClient) {
    publish(ground, b"4").await;
    let oracle = start(ground).await;
    let client = ground.oracle_client().await;
    client.timestamps(count(20)).await.unwrap();
    until_stored(ground, Timestamp::new(4).unwrap()).await;
    (oracle, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_pass_a_published_timestamp() {
    let ground = Ground::new().await;
    let (oracle, client) = held_at_4(&ground).await;
    assert_eq!(horizon(&client).await.get(), 4);

    // A node that is no timestamp protects an unknown part of the data.
    ground.set(PUBLISHED, "later").await;
    sleep(Duration::from_millis(600)).await;
    assert_eq!(ground.text(HORIZON), "4");

    ground.client.delete(PUBLISHED, None).await.unwrap();
    // Above 2 to 21 and the timestamp of the first look at the horizon.
    let next = Timestamp::new(23).unwrap();
    until_stored(&ground, next).await;
    let block = client.timestamps(count(1)).await.unwrap();
    assert_eq!((block.first, block.horizon), (next, next));
    oracle.stop().await;

    let next_oracle = start(&ground).await;
    assert!(horizon(&client).await >= next, "it never goes back");
    next_oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn adopts_a_higher_horizon_of_another_process() {
    let ground = Ground::new().await;
    publish(&ground, b"2").await;
    let oracle = start(&ground).await;
    let client = ground.oracle_client().await;
    client.timestamps(count(50)).await.unwrap();
    ground.set(HORIZON, "30").await;
    until("the horizon is announced", async || horizon(&client).await.get() == 30).await;
    // A value that was never handed out is damage.
    ground.set(HORIZON, "1000000").await;
    sleep(Duration::from_millis(300)).await;
    assert_eq!(horizon(&client).await.get(), 30);
    oracle.stop().await;
}

/// A horizon that was not stored, or was set back, was stored again only once it moved: not before
/// the oldest transactor ended.
#[tokio::test(flavor = "multi_thread")]
async fn stores_its_horizon_again_although_it_does_not_move() {
    let ground = Ground::new().await;
    let (oracle, _client) = held_at_4(&ground).await;
    ground.set(HORIZON, "2").await;
    until_stored(&ground, Timestamp::new(4).unwrap()).await;
    oracle.stop().await;
}
