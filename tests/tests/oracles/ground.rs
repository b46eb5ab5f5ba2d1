//! The nodes of an application for one test of the oracle, on the ZooKeeper of the cluster.

use std::num::NonZeroU32;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use fluo_accumulo::{Oracle, OracleClient, OracleOptions};
use fluo_cluster::{Cluster, wanted};
use zookeeper_client::{Acls, Client, CreateMode};

/// The shortest session timeout, so that a takeover from a crashed oracle takes seconds.
const SESSION: Duration = Duration::from_secs(4);

/// The parent of all applications of these tests.
const FOLDER: &str = "/fluo-oracle";

/// The nodes of an application that no other test uses.
pub(crate) struct OracleGround {
    /// A session whose root is the node of the application.
    pub(crate) zookeeper: Client,
    pub(crate) id: String,
    zookeepers: String,
    name: String,
}

impl OracleGround {
    /// Creates the nodes as Fluo does. Returns `None` if live tests are not wanted.
    pub(crate) async fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        if !wanted() {
            return None;
        }
        let server = &Cluster::shared().unwrap().site().zookeepers;
        let zookeepers = format!("{server}{FOLDER}");
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("o{}x{number}", process::id());
        let id = format!("id-of-{name}");
        let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
        let all = Client::connect(server).await.unwrap();
        let root = format!("{FOLDER}/{name}");
        for folder in ["", "/config", "/oracle/server", "/transactor/timestamps"] {
            all.mkdir(&format!("{root}{folder}"), &persistent).await.unwrap();
        }
        let zookeeper = all.chroot(root).unwrap();
        for (path, data) in [
            ("/config/fluo.application.id", id.as_str()),
            ("/oracle/max-timestamp", "2"),
            ("/oracle/gc-timestamp", "0"),
        ] {
            let created = zookeeper.create(path, data.as_bytes(), &persistent).await;
            created.unwrap();
        }
        Some(Self { zookeeper, id, zookeepers, name })
    }

    pub(crate) fn options(&self) -> OracleOptions {
        self.options_at(&self.zookeepers)
    }

    /// Returns options that reach ZooKeeper at another address.
    pub(crate) fn options_through(&self, relay: &str) -> OracleOptions {
        self.options_at(&format!("{relay}{FOLDER}"))
    }

    fn options_at(&self, zookeepers: &str) -> OracleOptions {
        OracleOptions::new(zookeepers, &self.name)
            .unwrap()
            .host("localhost")
            .session_timeout(SESSION)
            .horizon_period(Duration::from_millis(200))
    }

    pub(crate) async fn oracle(&self) -> Oracle {
        Oracle::start(self.options()).await.unwrap()
    }

    pub(crate) async fn client(&self) -> OracleClient {
        OracleClient::connect(&self.options()).await.unwrap()
    }

    pub(crate) async fn text(&self, path: &str) -> String {
        let (data, _) = self.zookeeper.get_data(path).await.unwrap();
        String::from_utf8(data).unwrap()
    }
}

pub(crate) fn count(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

/// A call that returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) began: Instant,
    pub(crate) returned: Instant,
    pub(crate) first: u64,
    pub(crate) count: u32,
}

/// Requests timestamps until `until`.
pub(crate) async fn request_until(client: &OracleClient, until: Instant) -> Vec<Call> {
    let mut calls = Vec::new();
    while Instant::now() < until {
        let began = Instant::now();
        let size = fastrand::u32(1..20);
        let block = client.timestamps(count(size)).await.unwrap();
        calls.push(Call { began, returned: Instant::now(), first: block.first.get(), count: size });
    }
    calls
}

/// Checks that no timestamp occurs twice (C1), and that a call that began after another one had
/// returned got later timestamps (C2).
pub(crate) fn check(mut calls: Vec<Call>) {
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
