//! The cluster and the application of a test, and the checks at its end.

use std::collections::BTreeSet;

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_cluster::{Cluster, JavaPeer, Proxy, ProxySettings, Settings};
use fluo_engine::Client;
use fluo_table::{Authorizations, Instance, RowColumn, Scan, Span, TableAdmin};
use fluo_tests::{comes_true, shop};
use futures::TryStreamExt;
use tempfile::TempDir;
use tokio::task::block_in_place;

use crate::access::Access;
use crate::crew::{Build, Crew, Role};
use crate::sink;

/// A cluster with two proxies.
pub(crate) struct Ground {
    pub(crate) cluster: Cluster,
    second: Proxy,
    pub(crate) access: Access,
    fluo: Instance,
    /// The folder of the gate.
    _folder: TempDir,
}

impl Ground {
    /// Starts a cluster, or returns `None` if live tests do not run. With a gate, observers reject
    /// orders when it is closed.
    pub(crate) async fn start(has_gate: bool) -> Option<Self> {
        if !fluo_cluster::wanted() {
            return None;
        }
        let cluster = Cluster::start(&Settings::default()).unwrap();
        if cluster.secret().is_some() {
            return None;
        }
        let second = cluster.start_proxy(ProxySettings::default()).unwrap();
        let folder = TempDir::new().unwrap();
        let gate = has_gate.then(|| folder.path().join("closed"));
        let access = Access::new(&cluster, &[cluster.proxy().unwrap(), &second], gate);
        let fluo = access.connect().await;
        sink::create(&fluo).await;
        Some(Self { cluster, second, access, fluo, _folder: folder })
    }

    pub(crate) fn proxies(&self) -> [&Proxy; 2] {
        [self.cluster.proxy().unwrap(), &self.second]
    }

    /// Starts a worker of Java.
    pub(crate) fn java_worker(&self) -> JavaPeer {
        let settings = [
            ("fluo.impl.worker.finder.minSleep", "200"),
            ("fluo.impl.worker.finder.maxSleep", "1000"),
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

    /// Waits until the worker of Java has tallied a further order, and exported a further sum.
    /// Returns `false` if nothing of this happens for minutes.
    pub(crate) async fn java_works(&self, client: &Client) -> bool {
        let [tallied, exported] = sink::java_work(&self.fluo, client).await;
        comes_true(async || {
            let now = sink::java_work(&self.fluo, client).await;
            now[0] > tallied && now[1] > exported
        })
        .await
    }

    /// Returns the locked cells.
    pub(crate) async fn locked(&self) -> BTreeSet<RowColumn> {
        let table = self.fluo.open_table(shop::NAME, Authorizations::none()).await;
        fluo_tests::locked(&*table.unwrap()).await.into_iter().collect()
    }

    /// Initializes the application by a build, with the longest pause of workers in milliseconds.
    /// Starts its processes, and returns them and a client.
    pub(crate) async fn initialize(&self, max_sleep: u64, build: Build) -> (Crew, Client) {
        build.run(Role::Creator, &self.access, max_sleep);
        let mut crew = Crew::start(self.access.clone(), build);
        let client = self.access.application().await.open().await.unwrap();
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
        sink::check(&self.fluo, &client, orders.len(), &self.access).await;
        let lost: Vec<_> = acknowledged.difference(&orders).collect();
        assert!(lost.is_empty(), "{lost:?}");
        assert!(acknowledged.len() > 50, "{}", acknowledged.len());
        // Reading the cells ends the locks of killed processes.
        let snapshot = client.snapshot().await.unwrap();
        let all = snapshot.scan(Scan::over(Span::all())).try_concat();
        all.await.unwrap();
        assert_eq!(self.locked().await, BTreeSet::new());
        oracle.stop().await;
    }
}
