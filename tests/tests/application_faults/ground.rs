//! The cluster and the application of a test, and the checks at its end.

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_cluster::{Cluster, JavaPeer, Proxy, ProxySettings, Settings};
use fluo_engine::Client;
use fluo_table::{Authorizations, Instance, Scan, Span, TableAdmin};
use fluo_tests::shop;
use futures::TryStreamExt;
use tokio::task::block_in_place;

use crate::access::Access;
use crate::crew::{Build, Crew};
use crate::sink;

/// The longest pause of workers in milliseconds, which is also that after a change of their number.
const MAX_SLEEP: &str = "fluo.impl.worker.finder.maxSleep";

/// A cluster with two proxies.
pub(crate) struct Ground {
    pub(crate) cluster: Cluster,
    second: Proxy,
    access: Access,
    fluo: Instance,
}

impl Ground {
    /// Starts a cluster, or returns `None` if live tests do not run.
    pub(crate) async fn start(has_sink: bool) -> Option<Self> {
        if !fluo_cluster::wanted() {
            return None;
        }
        let cluster = Cluster::start(&Settings::default()).unwrap();
        if cluster.secret().is_some() {
            return None;
        }
        let second = cluster.start_proxy(ProxySettings::default()).unwrap();
        let access = Access::new(&cluster, &[cluster.proxy().unwrap(), &second], has_sink);
        let fluo = access.connect().await;
        if has_sink {
            sink::create(&fluo).await;
        }
        Some(Self { cluster, second, access, fluo })
    }

    pub(crate) fn proxies(&self) -> [&Proxy; 2] {
        [self.cluster.proxy().unwrap(), &self.second]
    }

    /// Starts a worker of Java.
    pub(crate) fn java_worker(&self) -> JavaPeer {
        let settings = [
            ("fluo.impl.worker.finder.minSleep", "200"),
            (MAX_SLEEP, "1000"),
            ("fluo.worker.num.threads", "4"),
            ("fluo.connection.zookeeper.timeout", "4000"),
        ];
        let zookeepers = self.access.zookeepers();
        let start = || {
            let mut java = JavaPeer::start(&self.cluster, &zookeepers, shop::NAME, &settings)?;
            java.ask("start-worker").map(|_| java)
        };
        block_in_place(start).unwrap()
    }

    pub(crate) async fn java_works(&self, client: &Client) -> bool {
        sink::java_works(&self.fluo, client).await
    }

    /// Initializes the application, with the longest pause of workers in milliseconds. Starts its
    /// processes, and returns them and a client.
    pub(crate) async fn initialize(&self, max_sleep: u32, build: Build) -> (Crew, Client) {
        let application = self.access.application().await;
        let initial = application.clone().set(MAX_SLEEP, max_sleep.to_string());
        initial.initialize().await.unwrap();
        let mut crew = Crew::start(self.access.clone(), build);
        let client = application.open().await.unwrap();
        shop::open_accounts(&client).await.unwrap();
        crew.start_clients(build);
        (crew, client)
    }

    /// Kills the processes, and checks that no acknowledged order is lost, that each is tallied
    /// once, that the sum of the accounts is the same, and that no cell stays locked.
    pub(crate) async fn check(&self, crew: Crew) {
        let acknowledged = crew.kill();
        println!("{} orders were acknowledged", acknowledged.len());

        let oracle = OracleOptions::new(self.access.zookeepers(), shop::NAME).unwrap();
        let mut oracle = Oracle::start(oracle.host("localhost")).await.unwrap();
        oracle.wait_for_lead().await.unwrap();
        let client = self.access.application().await.open().await.unwrap();
        let orders = shop::drained(&client).await;
        if self.access.has_sink {
            sink::check(&self.fluo, &client, orders.len()).await;
        }
        let lost: Vec<_> = acknowledged.difference(&orders).collect();
        assert!(lost.is_empty(), "{lost:?}");
        assert!(acknowledged.len() > 50, "{}", acknowledged.len());
        // Reading the cells ends the locks of killed processes.
        let snapshot = client.snapshot().await.unwrap();
        let all = snapshot.scan(Scan::over(Span::all())).try_concat();
        all.await.unwrap();
        let table = self.fluo.open_table(shop::NAME, Authorizations::none()).await;
        assert_eq!(fluo_tests::locked(&*table.unwrap()).await, []);
        oracle.stop().await;
    }
}
