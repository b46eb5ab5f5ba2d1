//! The lease of a transactor, while which reads and timestamps send no request to ZooKeeper.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_engine::{Client, ClientOptions};
use fluo_table::coordination::{Application, Applications, Coordination, Transactor};
use fluo_table::{Authorizations, Column, Error, MemoryTables, TableAdmin, Timestamp, Versions};
use fluo_tests::until;
use fluo_zookeeper::Operation;
use futures::future::join_all;
use tokio::time::sleep;

use crate::ground::{Ground, NAME, Process, TABLE};
use crate::oracles::WithOracles;

/// Each batch of a read sent three requests, and each request for timestamps one.
#[tokio::test(flavor = "multi_thread")]
async fn transactions_send_no_request_while_the_lease_lasts() {
    let ground = Ground::new().await;
    let (oracles, process) = (ground.process().await, ground.process().await);
    let zookeepers = format!("{}/fluo", oracles.link.address());
    let with_oracle = WithOracles::new(oracles.applications.clone(), zookeepers);
    let application = Application::new("1", TABLE);
    let initialized = with_oracle.initialize(NAME, application);
    initialized.await.unwrap();
    let tables = MemoryTables::new();
    tables.create_table(TABLE, Versions::All).await.unwrap();
    let table = tables.open_table(TABLE, Authorizations::none());
    let client = Client::open(table.await.unwrap(), process.open().await, ClientOptions::new());
    let client = client.await.unwrap();
    let column = Column::new("f", "q");
    let count = async || {
        let counted: Result<(), Error> = client
            .run(async |tx| {
                let counted = tx.get("r", &column).await?.map_or(0, |value| value.len());
                tx.set("r", &column, vec![b'x'; counted + 1])
            })
            .await;
        counted.unwrap();
    };
    // The first transaction publishes, and finds the oracle.
    count().await;
    let horizons = || process.link.count(Operation::GetData);
    until("the lease", async || {
        let before = horizons();
        count().await;
        horizons() == before
    })
    .await;
    let before = process.link.count_without_leases();
    for _ in 0..50 {
        count().await;
    }
    assert_eq!(process.link.count_without_leases(), before);
}

struct Leased {
    ground: Ground,
    process: Process,
    coordination: Arc<dyn Coordination>,
    transactor: Box<dyn Transactor>,
}

impl Leased {
    async fn new() -> Self {
        let ground = Ground::new().await;
        let process = ground.process().await;
        process.initialize().await;
        let coordination = process.open().await;
        let transactor = coordination.begin_transactor().await.unwrap();
        let oldest = Timestamp::new(1).unwrap();
        transactor.publish_oldest_active(Some(oldest)).await.unwrap();
        let leased = Self { ground, process, coordination, transactor };
        leased.until_holding(true).await;
        leased
    }

    async fn until_holding(&self, is_holding: bool) {
        let has_changed = async || self.transactor.is_holding() == is_holding;
        until("the lease begins or ends", has_changed).await;
    }
}

/// Other clients treat a transactor without its node as ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_lease_ends_with_the_node_of_its_transactor() {
    let leased = Leased::new().await;
    let node = format!("/fluo/{NAME}/transactor/nodes/1");
    leased.ground.client.delete(&node, None).await.unwrap();
    leased.until_holding(false).await;
    // And it does not begin again.
    leased.coordination.horizon().await.unwrap();
    sleep(Duration::from_millis(100)).await;
    assert!(!leased.transactor.is_holding());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_ends_with_its_session() {
    let leased = Leased::new().await;
    leased.process.link.expire_sessions();
    leased.process.link.cut();
    leased.process.link.resume();
    leased.until_holding(false).await;
}

/// The time counts from the sending of a request whose answer arrived, however late it arrived.
#[tokio::test(flavor = "multi_thread")]
async fn a_lease_lapses_before_the_session_while_no_answer_arrives() {
    let leased = Leased::new().await;
    leased.process.link.hold();
    let held = Instant::now();
    leased.until_holding(false).await;
    assert!(held.elapsed() < Duration::from_secs(21), "two thirds of 30 s");
    leased.process.link.release();
    leased.until_holding(true).await;
}

/// Without a lease, all readers that wait share the next request.
#[tokio::test(flavor = "multi_thread")]
async fn readers_without_a_lease_share_a_request() {
    let leased = Leased::new().await;
    let before = leased.process.link.count(Operation::GetData);
    let horizons = (0..100).map(|_| leased.coordination.horizon());
    for horizon in join_all(horizons).await {
        horizon.unwrap();
    }
    let sent = leased.process.link.count(Operation::GetData) - before;
    assert!((1..=2).contains(&sent), "{sent}");
}

/// One update of a horizon by an oracle of Java may miss a new node, but not a change of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_publication_holds_after_a_second() {
    let leased = Leased::new().await;
    let transactor = &leased.transactor;
    let publish = async |oldest: u64| {
        let oldest = (oldest > 0).then(|| Timestamp::new(oldest).unwrap());
        transactor.publish_oldest_active(oldest).await.unwrap();
    };
    publish(2).await;
    assert!(transactor.is_holding(), "its node is not new");
    publish(0).await;
    assert!(!transactor.is_holding(), "it publishes nothing");
    let begun = Instant::now();
    publish(3).await;
    leased.until_holding(true).await;
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

/// A withdrawal was repeated after its caller had stopped waiting, and withdrew what was published
/// meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_publication_does_not_overtake_an_earlier_one_without_a_caller() {
    let leased = Leased::new().await;
    let (transactor, link) = (&leased.transactor, &leased.process.link);
    let node = format!("/fluo/{NAME}/transactor/timestamps/1");
    // The withdrawal is repeated after a tenth of a second, unless the connection takes longer.
    for oldest in 2..8 {
        link.lose_answer(Operation::Multi, &node);
        tokio::select! {
            withdrawn = transactor.publish_oldest_active(None) => panic!("{withdrawn:?}"),
            () = link.wait_for_cut() => link.resume(),
        }
        let published = transactor.publish_oldest_active(Some(Timestamp::new(oldest).unwrap()));
        published.await.unwrap();
        sleep(Duration::from_millis(300)).await;
        assert!(leased.ground.zookeeper.data(&node).is_some());
    }
}
