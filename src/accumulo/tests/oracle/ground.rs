//! The nodes of an application, as Fluo creates them, its oracles, and their clients.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_accumulo::{Oracle, OracleClient, OracleOptions, ZooKeeperOptions};
use fluo_tests::until;
use fluo_zookeeper::{Link, ZooKeeper};
use zookeeper_client::{Acls, Client, CreateMode, CreateOptions};

pub(crate) const ID: &str = "id-of-web";
pub(crate) const ID_NODE: &str = "/fluo/web/config/fluo.application.id";
pub(crate) const NAME: &str = "web";
pub(crate) const ROOT: &str = "/fluo/web";
pub(crate) const SERVERS: &str = "/fluo/web/oracle/server";
pub(crate) const MAX_TIMESTAMP: &str = "/fluo/web/oracle/max-timestamp";
pub(crate) const HORIZON: &str = "/fluo/web/oracle/gc-timestamp";

/// An application in ZooKeeper.
pub(crate) struct Ground {
    pub(crate) zookeeper: ZooKeeper,
    /// A session of the test.
    pub(crate) client: Client,
    /// The link of that session and of [`client`](Self::oracle_client)s.
    pub(crate) link: Link,
}

impl Ground {
    pub(crate) async fn new() -> Self {
        let zookeeper = ZooKeeper::new();
        let link = zookeeper.link();
        let client = Client::connect(&link.address()).await.unwrap();
        let ground = Self { zookeeper, client, link };
        for folder in ["/config", "/oracle/server", "/transactor/timestamps"] {
            ground.create(&format!("{ROOT}{folder}"), "").await;
        }
        for (path, data) in [(ID_NODE, ID), (MAX_TIMESTAMP, "2"), (HORIZON, "0")] {
            ground.create(path, data).await;
        }
        ground
    }

    /// Creates a node with its parents.
    pub(crate) async fn create(&self, path: &str, data: &str) {
        if let Some((parent, _)) = path.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
            self.client.mkdir(parent, &persistent()).await.unwrap();
        }
        let created = self.client.create(path, data.as_bytes(), &persistent());
        created.await.unwrap();
    }

    pub(crate) async fn set(&self, path: &str, text: &str) {
        self.client.set_data(path, text.as_bytes(), None).await.unwrap();
    }

    /// Returns the data of a node.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.zookeeper.data(path).unwrap()).unwrap()
    }

    /// Returns the options of an oracle or a client that reaches ZooKeeper over a link.
    pub(crate) fn options(&self, link: &Link) -> OracleOptions {
        self.options_with(link, Duration::from_secs(30))
    }

    pub(crate) fn options_with(&self, link: &Link, session_timeout: Duration) -> OracleOptions {
        let zookeeper = ZooKeeperOptions::new(format!("{}/fluo", link.address()));
        let zookeeper = zookeeper.session_timeout(session_timeout);
        OracleOptions::new(zookeeper, NAME).unwrap().host("localhost")
    }

    pub(crate) async fn oracle(&self, link: &Link) -> Oracle {
        Oracle::start(self.options(link)).await.unwrap()
    }

    /// Starts an oracle, and waits until it leads.
    pub(crate) async fn leader(&self, link: &Link) -> Oracle {
        let mut oracle = self.oracle(link).await;
        oracle.wait_for_lead().await.unwrap();
        oracle
    }

    pub(crate) async fn oracle_client(&self) -> OracleClient {
        self.client_over(&self.link).await
    }

    pub(crate) async fn client_over(&self, link: &Link) -> OracleClient {
        OracleClient::connect(&self.options(link)).await.unwrap()
    }

    /// Waits until there are this many election nodes.
    pub(crate) async fn wait_for_candidates(&self, count: usize) -> Vec<String> {
        let nodes = || self.zookeeper.children(SERVERS);
        until("the candidates", async || nodes().len() == count).await;
        nodes()
    }
}

fn persistent() -> CreateOptions<'static> {
    CreateMode::Persistent.with_acls(Acls::anyone_all())
}

pub(crate) fn count(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}
