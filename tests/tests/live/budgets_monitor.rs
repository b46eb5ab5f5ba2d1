//! The number of calls of a reading of a monitor: the table in `docs/monitoring.md`.

use std::array::from_fn;

use fluo_accumulo::Oracle;
use fluo_engine::{Instance, InstanceExt};
use fluo_keys::RowHasher;
use fluo_process::monitor::{Monitor, MonitorOptions, MonitoredTable};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::table_optimizations;
use fluo_table::{Timestamp, Versions};
use fluo_zookeeper::{Link, ZooKeeper};

use crate::budgets_ground::{budget, connect, create_instance, start_oracle, wait_until_closed};
use crate::cluster::cluster;
use crate::ground::fresh_name;
use crate::relay::Relay;

/// Number of the readings of which the smallest counts.
const READINGS: usize = 3;
const PROCESSES: u64 = 3;
const EACH_TABLE: &str = "each table without recipes and spec";
const EACH_APPLICATION: &str = "each application with recipes and a queue";

/// The connections of a monitor.
struct Counted {
    relay: Relay,
    link: Link,
}

impl Counted {
    /// Returns the calls of the proxy, the requests to ZooKeeper, and the look-ups of the ids of
    /// tables.
    fn now(&self) -> [u64; 3] {
        let calls = self.relay.calls().into_iter();
        let calls = calls.filter(|(name, _)| *name != crate::relay::NOTIFICATIONS);
        let calls = calls.map(|(_, count)| count).sum();
        [calls, self.link.count_without_leases(), self.relay.count("tableIdMap")]
    }

    /// Returns the calls and the requests of a reading after the first one, which opens the
    /// clients. After a silence of a session its clients have no lease for a while, so each count
    /// has a session of its own. Checks the look-ups of ids of some tables and applications, which
    /// share a call if they are in the same second.
    async fn count(&self, tables: &[&String], applications: u64) -> [u64; 2] {
        let of = |operation| budget(operation)[2];
        let of_tables = u64::try_from(tables.len()).unwrap() * of(EACH_TABLE);
        let look_ups = of_tables + applications * of(EACH_APPLICATION);
        let tables = tables.iter().map(|table| MonitoredTable::new(*table));
        let options = MonitorOptions::new("here").tables(tables);
        let instance = connect(&self.relay.address, &self.link).await;
        let mut monitor = Monitor::new(instance, options.needs_oracle(true));
        let mut smallest = [u64::MAX; 3];
        for reading in 0..=READINGS {
            wait_until_closed(&self.relay).await;
            let before = self.now();
            let figures = monitor.read().await;
            assert!(figures.errors.is_empty(), "{figures:?}");
            wait_until_closed(&self.relay).await;
            let of_reading = less(self.now(), before);
            if reading > 0 {
                smallest = from_fn(|at| smallest[at].min(of_reading[at]));
            }
        }
        let [calls, requests, looked_up] = smallest;
        assert!(looked_up <= look_ups, "{looked_up} look-ups of ids, of at most {look_ups}");
        [calls, requests]
    }
}

fn less<const N: usize>(more: [u64; N], fewer: [u64; N]) -> [u64; N] {
    from_fn(|at| more[at].checked_sub(fewer[at]).unwrap())
}

/// Compares the calls and the requests of some parts with a line of the page.
#[track_caller]
fn check(operation: &str, parts: u64, found: [u64; 2]) {
    let [calls, requests, _] = budget(operation);
    assert_eq!(found, [calls, requests].map(|count| parts * count), "{operation}");
}

/// Creates an application with a queue and a row hasher, whose table is laid out, and its oracle.
async fn create(instance: &Instance, link: &Link, name: &str) -> Oracle {
    let words = CombineQueue::<String, u64>::new("words", Sum).unwrap().buckets(7).unwrap();
    let pages = RowHasher::new("p").unwrap().table_optimizations(4).unwrap();
    let application = instance.application(name).recipe(&words).recipe(&pages);
    application.initialize().await.unwrap();
    let wanted = table_optimizations(&application.settings()).unwrap();
    wanted.plan(instance, name).await.unwrap().apply(instance).await.unwrap();
    let mut oracle = start_oracle(link, name).await;
    oracle.wait_for_lead().await.unwrap();
    oracle
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reading_keeps_its_call_budget() {
    let Some(cluster) = cluster().filter(|cluster| cluster.secret().is_none()) else { return };
    let zookeeper = ZooKeeper::new();
    create_instance(&zookeeper).await;
    let proxy = cluster.proxy().unwrap().address();
    let counted = Counted { relay: Relay::start(proxy.clone()).await, link: zookeeper.link() };
    let other_link = zookeeper.link();
    let other = connect(&proxy, &other_link).await;
    let tables = other.table_admin();
    let [table, next] = [(); 2].map(|()| fresh_name("budgets"));
    for table in [&table, &next] {
        tables.create_table(table, Versions::default()).await.unwrap();
    }
    let mut before = counted.count(&[&table], 0).await;
    let with_both = counted.count(&[&table, &next], 0).await;
    let of_table = less(with_both, before);
    check(EACH_TABLE, 1, of_table);
    check("a reading with at least one table", 1, less(before, of_table));
    let names = [(); 2].map(|()| fresh_name("budgets"));
    let mut oracles = Vec::new();
    for (name, applications) in names.iter().zip(1..) {
        oracles.push(create(&other, &other_link, name).await);
        let now = counted.count(&[&table], applications).await;
        check(EACH_APPLICATION, 1, less(now, before));
        before = now;
    }

    let coordination = other.applications().open(&names[0]).await.unwrap();
    let (mut workers, mut transactors) = (Vec::new(), Vec::new());
    for _ in 0..PROCESSES {
        workers.push(coordination.join_workers().await.unwrap());
    }
    let now = counted.count(&[&table], 2).await;
    check("each worker", PROCESSES, less(now, before));
    before = now;
    for _ in 0..PROCESSES {
        let transactor = coordination.begin_transactor().await.unwrap();
        transactor.publish_oldest_active(Some(Timestamp::FIRST)).await.unwrap();
        transactors.push(transactor);
    }
    let now = counted.count(&[&table], 2).await;
    check("each client that reads", PROCESSES, less(now, before));

    drop((workers, transactors, coordination));
    for oracle in oracles {
        oracle.stop().await;
    }
    for table in names.iter().chain([&table, &next]) {
        tables.delete_table(table).await.unwrap();
    }
}
