//! An application whose calls are counted: a relay in front of the proxy counts calls, and the
//! ZooKeeper, in memory, counts requests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fluo_accumulo::{AccumuloOptions, Oracle, OracleOptions, ProxyOptions};
use fluo_engine::{Client, ClientOptions, Error, InstanceExt, Observers, Snapshot, Transaction};
use fluo_table::{Authorizations, Column, Instance, Result};
use fluo_tests::{Call, CoordinationCall, Fault, Hooks, Intercepted};
use fluo_zookeeper::{Link, Operation, ZooKeeper};
use futures::future::try_join_all;
use tokio::time::sleep;
use zookeeper_client::{Acls, Client as ZooKeeperClient, CreateMode};

use crate::cluster::cluster;
use crate::ground::fresh_name;
use crate::relay::{NOTIFICATIONS, Relay};

const PAGES: [&str; 2] =
    [include_str!("../../../docs/protocol.md"), include_str!("../../../docs/monitoring.md")];
const PATIENCE: Duration = Duration::from_secs(120);
pub(crate) const TASKS: usize = 128;

pub(crate) fn column() -> Column {
    Column::new("f", "q")
}

/// Counts the requests for timestamps.
#[derive(Debug, Default)]
struct Requests(AtomicU64);

#[async_trait]
impl Hooks for Requests {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if let Call::Coordination(CoordinationCall::Timestamps(_)) = call {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        Ok(None)
    }
}

pub(crate) struct Ground {
    pub(crate) relay: Relay,
    link: Link,
    requests: Arc<Intercepted<dyn fluo_table::coordination::Coordination, Requests>>,
    pub(crate) client: Client,
    /// A client whose calls are not counted, to wait for observers.
    pub(crate) waiting: Client,
    pub(crate) instance: Instance,
    name: String,
    oracle: Oracle,
    _other_links: [Link; 2],
    _zookeeper: ZooKeeper,
}

/// The calls of an operation.
#[derive(Debug)]
pub(crate) struct Counted {
    calls: BTreeMap<String, u64>,
    zookeeper: u64,
    timestamps: u64,
}

impl Counted {
    fn numbers(&self) -> [u64; 3] {
        [self.calls.values().sum(), self.zookeeper, self.timestamps]
    }
}

impl Ground {
    pub(crate) async fn new(observers: &Observers) -> Option<Self> {
        let cluster = cluster().filter(|cluster| cluster.secret().is_none())?;
        let zookeeper = ZooKeeper::new();
        let [link, oracle_link, other_link] = [(); 3].map(|()| zookeeper.link());
        create_instance(&zookeeper).await;
        let relay = Relay::start(cluster.proxy().unwrap().address()).await;
        let instance = connect(&relay.address, &link).await;
        let name = fresh_name("budgets");
        let application = instance.application(&name).observers(observers);
        application.initialize().await.unwrap();
        let oracle = start_oracle(&oracle_link, &name).await;
        let coordination = instance.applications().open(&name).await.unwrap();
        let requests = Arc::new(Intercepted::with_hooks(coordination, Requests::default()));
        let tables = instance.table_admin();
        let table = tables.open_table(&name, Authorizations::none()).await.unwrap();
        let options = ClientOptions::new();
        let client = Client::open(table, requests.clone(), options)
            .await
            .unwrap()
            .with_observers(observers.clone());
        let other = connect(&cluster.proxy().unwrap().address(), &other_link).await;
        let ground = Self {
            relay,
            link,
            requests,
            client,
            waiting: other.application(&name).open().await.unwrap(),
            instance,
            name,
            oracle,
            _other_links: [oracle_link, other_link],
            _zookeeper: zookeeper,
        };
        ground.begin().await;
        Some(ground)
    }

    /// Fills the table, and waits until the lease holds.
    async fn begin(&self) {
        let rows = (0..TASKS * 2).map(|number| self.set(row(number), "1000"));
        try_join_all(rows).await.unwrap();
        drop(self.hold().await);
    }

    /// Waits until reads need no request to ZooKeeper, which is so until some time after the
    /// returned snapshot is dropped.
    pub(crate) async fn hold(&self) -> Snapshot {
        let begun = Instant::now();
        loop {
            let before = self.link.count(Operation::GetData);
            let snapshot = self.client.snapshot().await.unwrap();
            snapshot.get(row(0), &column()).await.unwrap();
            if self.link.count(Operation::GetData) == before {
                return snapshot;
            }
            assert!(begun.elapsed() < PATIENCE, "there is no lease");
            sleep(Duration::from_millis(100)).await;
        }
    }

    pub(crate) async fn set(&self, row: String, value: &'static str) -> Result<()> {
        let set = async |tx: Transaction| tx.set(row.clone(), &column(), value);
        self.client.run::<_, Error, _>(set).await
    }

    pub(crate) async fn transfer(&self, from: String, to: String) -> Result<()> {
        self.client
            .run(async |tx| {
                let source = tx.get(from.clone(), &column()).await?;
                let target = tx.get(to.clone(), &column()).await?;
                tx.set(from.clone(), &column(), target.unwrap_or_default())?;
                tx.set(to.clone(), &column(), source.unwrap_or_default())
            })
            .await
    }

    /// Returns the calls of some work, with those that it leaves to the background.
    pub(crate) async fn count(&self, work: impl AsyncFnOnce()) -> Counted {
        wait_until_closed(&self.relay).await;
        let now = || (self.relay.calls(), self.zookeeper(), self.timestamps());
        let (calls, zookeeper, timestamps) = now();
        work().await;
        self.client.wait_until_rolled_forward().await;
        wait_until_closed(&self.relay).await;
        let mut counted = Counted {
            calls: now().0,
            zookeeper: now().1 - zookeeper,
            timestamps: now().2 - timestamps,
        };
        for (name, before) in calls {
            *counted.calls.get_mut(&name).unwrap() -= before;
        }
        // A worker scans for notifications from time to time.
        let scans = counted.calls.remove(NOTIFICATIONS).unwrap_or(0);
        for call in ["createScanner", "nextK", "closeScanner"] {
            *counted.calls.entry(call.to_owned()).or_default() -= scans;
        }
        counted.calls.retain(|_, count| *count > 0);
        counted
    }

    /// Returns the number of requests to ZooKeeper, without those that keep the lease.
    fn zookeeper(&self) -> u64 {
        self.link.count_without_leases()
    }

    fn timestamps(&self) -> u64 {
        self.requests.hooks().0.load(Ordering::SeqCst)
    }

    pub(crate) async fn end(self) {
        drop((self.client, self.waiting, self.requests));
        self.oracle.stop().await;
        self.instance.table_admin().delete_table(&self.name).await.unwrap();
    }
}

/// Waits until every scan is closed, which happens in the background.
pub(crate) async fn wait_until_closed(relay: &Relay) {
    let begun = Instant::now();
    let count = |name| relay.count(name);
    while count("createScanner") + count("createBatchScanner") != count("closeScanner") {
        assert!(begun.elapsed() < PATIENCE, "a scan stays open");
        sleep(Duration::from_millis(2)).await;
    }
}

fn zookeepers(link: &Link) -> String {
    format!("{}/fluo", link.address())
}

/// Connects to a proxy and a ZooKeeper.
pub(crate) async fn connect(address: &str, link: &Link) -> Instance {
    let proxy = ProxyOptions::new(address, cluster().unwrap().site().credentials());
    fluo_accumulo::connect(AccumuloOptions::new(proxy, zookeepers(link))).await.unwrap()
}

pub(crate) async fn start_oracle(link: &Link, application: &str) -> Oracle {
    let options = OracleOptions::new(zookeepers(link), application).unwrap();
    Oracle::start(options.host("localhost")).await.unwrap()
}

pub(crate) async fn create_instance(zookeeper: &ZooKeeper) {
    let link = zookeeper.link();
    let client = ZooKeeperClient::connect(&link.address()).await.unwrap();
    let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
    let instances = "/accumulo/instances";
    client.mkdir(instances, &persistent).await.unwrap();
    let node = format!("{instances}/fluo");
    client.create(&node, b"instance-1", &persistent).await.unwrap();
}

/// Returns the numbers of an operation in the table of a page: calls of the proxy, requests to
/// ZooKeeper, and a third one that the page names.
pub(crate) fn budget(operation: &str) -> [u64; 3] {
    let begin = format!("| {operation} |");
    let mut lines = PAGES.iter().flat_map(|page| page.lines());
    let line = lines.find_map(|line| line.strip_prefix(&begin));
    let line = line.unwrap_or_else(|| panic!("no page has a line `{begin}`"));
    let numbers = line.split('|').filter_map(|cell| cell.trim().parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    numbers.try_into().unwrap()
}

pub(crate) fn check_exactly(operation: &str, counted: &Counted) {
    assert_eq!(counted.numbers(), budget(operation), "{operation}: {counted:?}");
}

pub(crate) fn check_at_most(operation: &str, counted: &Counted) {
    let pairs = counted.numbers().into_iter().zip(budget(operation));
    for (counted_one, most) in pairs {
        assert!(counted_one <= most, "{operation}: {counted:?}");
    }
}

pub(crate) fn row(number: usize) -> String {
    format!("row {number:04}")
}
