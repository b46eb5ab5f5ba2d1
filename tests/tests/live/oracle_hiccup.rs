//! A ZooKeeper that an oracle cannot reach for a while, behind a relay.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_accumulo::{Oracle, OracleClient};
use fluo_cluster::Cluster;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::oracle_ground::{OracleGround, check, request_until};

/// A relay to the ZooKeeper of the cluster, which can be closed.
struct Relay {
    address: String,
    is_open: Arc<watch::Sender<bool>>,
}

impl Relay {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let is_open = Arc::new(watch::Sender::new(true));
        let opened = is_open.clone();
        let server = Cluster::shared().unwrap().site().zookeepers.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (mut open, server) = (opened.subscribe(), server.clone());
                tokio::spawn(async move {
                    if !*open.borrow() {
                        return;
                    }
                    let mut far = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = open.wait_for(|open| !open) => {}
                    }
                });
            }
        });
        Self { address, is_open }
    }

    /// Breaks all connections, and accepts new ones only after `time`.
    async fn close_for(&self, time: Duration) {
        self.is_open.send_replace(false);
        sleep(time).await;
        self.is_open.send_replace(true);
    }
}

/// Tests a regression of servers in Java: any loss of the connection ends the process.
#[tokio::test(flavor = "multi_thread")]
async fn leads_on_through_a_hiccup_of_zookeeper() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let relay = Relay::new().await;
    let options = ground.options_through(&relay.address);
    let options = options.session_timeout(Duration::from_secs(30));
    let mut oracle = Oracle::start(options.clone()).await.unwrap();
    let address = oracle.wait_for_lead().await.unwrap();
    let client = OracleClient::connect(&options).await.unwrap();
    let hiccup = async {
        sleep(Duration::from_millis(500)).await;
        relay.close_for(Duration::from_secs(3)).await;
    };
    let until = Instant::now() + Duration::from_secs(6);
    let (calls, ()) = tokio::join!(request_until(&client, until), hiccup);
    assert_eq!(oracle.leads_at(), Some(address), "the same term");
    check(calls);
    oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_without_zookeeper_is_replaced_and_stands_again() {
    let Some(ground) = OracleGround::new().await else {
        return;
    };
    let relay = Relay::new().await;
    let options = ground.options_through(&relay.address);
    let mut first = Oracle::start(options).await.unwrap();
    first.wait_for_lead().await.unwrap();
    let mut second = ground.oracle().await;
    let client = ground.client().await;
    let partition = async {
        relay.close_for(Duration::from_secs(8)).await;
        second.wait_for_lead().await.unwrap();
        assert_eq!(first.leads_at(), None);
        second.stop().await;
        first.wait_for_lead().await.unwrap();
    };
    let until = Instant::now() + Duration::from_secs(14);
    let (calls, ()) = tokio::join!(request_until(&client, until), partition);
    check(calls);
    first.stop().await;
}
