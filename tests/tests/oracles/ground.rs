//! The nodes of an application, its oracles, and clients that request timestamps.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fluo_accumulo::{Oracle, OracleClient, OracleOptions};
use fluo_tests::STUCK;
use fluo_zookeeper::{Link, ZooKeeper};
use futures::future::join_all;
use tokio::time::timeout;
use zookeeper_client::{Acls, Client, CreateMode};

pub(crate) const ID: &str = "id-of-web";
const ROOT: &str = "/fluo/web";
/// The shortest session timeout, so that a takeover from an unreachable oracle takes seconds.
const SESSION: Duration = Duration::from_secs(4);

/// An application without an oracle.
pub(crate) struct Ground {
    /// A session whose root is the node of the application.
    pub(crate) nodes: Client,
    zookeeper: ZooKeeper,
    link: Link,
}

impl Ground {
    /// Creates the nodes as Fluo does.
    pub(crate) async fn new() -> Self {
        let zookeeper = ZooKeeper::new();
        let link = zookeeper.link();
        let all = Client::connect(&link.address()).await.unwrap();
        let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
        for folder in ["/config", "/oracle/server", "/transactor/timestamps"] {
            all.mkdir(&format!("{ROOT}{folder}"), &persistent).await.unwrap();
        }
        for (path, data) in [
            ("/config/fluo.application.id", ID),
            ("/oracle/max-timestamp", "2"),
            ("/oracle/gc-timestamp", "0"),
        ] {
            let path = format!("{ROOT}{path}");
            all.create(&path, data.as_bytes(), &persistent).await.unwrap();
        }
        Self { nodes: all.chroot(ROOT).unwrap(), zookeeper, link }
    }

    /// Opens an address of ZooKeeper that a test can cut.
    pub(crate) fn link(&self) -> Link {
        self.zookeeper.link()
    }

    /// Returns the options of an oracle or a client that reaches ZooKeeper over a link.
    pub(crate) fn options(link: &Link) -> OracleOptions {
        OracleOptions::new(format!("{}/fluo", link.address()), "web")
            .unwrap()
            .host("localhost")
            .session_timeout(SESSION)
            .horizon_period(Duration::from_millis(200))
    }

    pub(crate) async fn oracle(&self) -> Oracle {
        Oracle::start(Self::options(&self.link)).await.unwrap()
    }

    /// Starts an oracle, and waits until it leads. Returns it with its address.
    pub(crate) async fn leader(&self) -> (Oracle, String) {
        let mut oracle = self.oracle().await;
        let address = oracle.wait_for_lead().await.unwrap();
        (oracle, address)
    }

    pub(crate) async fn client(&self) -> OracleClient {
        client(&self.link).await
    }

    pub(crate) async fn text(&self, path: &str) -> String {
        let (data, _) = self.nodes.get_data(path).await.unwrap();
        String::from_utf8(data).unwrap()
    }

    pub(crate) async fn set(&self, path: &str, text: &str) {
        self.nodes.set_data(path, text.as_bytes(), None).await.unwrap();
    }
}

async fn client(link: &Link) -> OracleClient {
    OracleClient::connect(&Ground::options(link)).await.unwrap()
}

pub(crate) fn count(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

/// A call that returned.
#[derive(Clone, Copy, Debug)]
struct Call {
    began: Instant,
    returned: Instant,
    first: u64,
    count: u32,
}

/// Does some work while several tasks of two clients, which reach ZooKeeper over a link, request
/// timestamps. Checks that no timestamp occurs twice (C1), and that a call that began after another
/// one had returned got later timestamps (C2).
pub(crate) async fn under_load<T>(link: &Link, work: impl Future<Output = T>) -> T {
    let clients = [client(link).await, client(link).await];
    let is_over = AtomicBool::new(false);
    let work = async {
        let output = timeout(STUCK, work).await.unwrap();
        is_over.store(true, Ordering::SeqCst);
        output
    };
    let tasks = clients.iter().flat_map(|client| [client; 4]);
    let requests = join_all(tasks.map(|client| requests(client, &is_over)));
    let (calls, output) = tokio::join!(requests, work);
    check(calls.concat());
    output
}

async fn requests(client: &OracleClient, is_over: &AtomicBool) -> Vec<Call> {
    let mut calls = Vec::new();
    while !is_over.load(Ordering::SeqCst) {
        let began = Instant::now();
        let size = fastrand::u32(1..20);
        let block = client.timestamps(count(size)).await.unwrap();
        calls.push(Call { began, returned: Instant::now(), first: block.first.get(), count: size });
    }
    calls
}

fn check(mut calls: Vec<Call>) {
    assert!(!calls.is_empty());
    calls.sort_by_key(|call| call.first);
    for pair in calls.windows(2) {
        let end = pair[0].first + u64::from(pair[0].count);
        assert!(end <= pair[1].first, "C1: {pair:?}");
    }
    let mut returned = calls.clone();
    returned.sort_by_key(|call| call.returned);
    calls.sort_by_key(|call| call.began);
    let (mut newest, mut returned) = (0, returned.into_iter().peekable());
    for call in calls {
        while let Some(earlier) = returned.next_if(|earlier| earlier.returned < call.began) {
            newest = newest.max(earlier.first);
        }
        assert!(newest < call.first, "C2: {newest} was returned before {call:?}");
    }
}
