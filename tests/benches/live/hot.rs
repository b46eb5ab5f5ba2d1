//! An observer whose runs change a few rows, with more and more tasks and with two clients.

use std::time::Instant;

use fluo_cluster::Cluster;
use fluo_engine::{Bytes, Client, InstanceExt, Transaction, Worker};
use fluo_table::Column;
use futures::future::{join_all, try_join_all};

use crate::application::{Application, connect};
use crate::cpu::Cpu;
use crate::transacting::from_tasks;

/// Number of rows that all runs of the observer change.
const ROWS: usize = 4;
/// Number of tasks that write documents.
const LOADING: usize = 128;
/// The numbers of clients, and of tasks of each. The first is one task alone.
const SIZES: [(usize, usize); 6] = [(1, 1), (1, 4), (1, 16), (1, 32), (1, 128), (2, 32)];

const HOT: Column = Column::from_static("hot", "value");
/// The column of the totals, which is not observed.
const TOTAL: Column = Column::from_static("total", "value");

/// Adds to one of a few rows, as an observer.
async fn count_row(tx: Transaction, row: Bytes) -> fluo_engine::Result<()> {
    let sum: usize = row.iter().copied().map(usize::from).sum();
    let total = format!("total:{}", sum % ROWS);
    let before = tx.get(total.clone(), &TOTAL).await?;
    let before = before.map(|value| String::from_utf8(value.to_vec()).unwrap());
    let before: u64 = before.map_or(0, |text| text.parse().unwrap());
    tx.set(total, &TOTAL, (before + 1).to_string())
}

/// Lets the observer process some documents with each number of clients and tasks, and prints the
/// rates, also as multiples of that of one task alone.
pub(crate) async fn run(cluster: &Cluster, count: usize) {
    let (instance, zookeepers) = connect(cluster).await;
    let name = format!("hot_{}", std::process::id());
    let handle = instance.application(&name).observe(&HOT, "count", count_row);
    handle.initialize().await.unwrap();
    let application = Application::open(instance, &zookeepers, handle.clone()).await;
    let clients = [application.client.clone(), handle.open().await.unwrap()];
    let client = &clients[0];

    let mut alone = None;
    for (used, tasks) in SIZES {
        let workers = clients.iter().take(used).map(|client| client.worker().tasks(tasks).start());
        let workers = try_join_all(workers).await.unwrap();
        // A worker begins when the group of workers has been the same for a while.
        set(client, format!("first {used} {tasks}")).await.unwrap();
        client.wait_until_idle().await.unwrap();
        let (begun, cpu) = (Instant::now(), Cpu::until_now(cluster, &[]));
        let add = |number: usize| {
            let client = client.clone();
            async move { set(&client, format!("doc {used} {tasks} {number:08}")).await }
        };
        from_tasks(LOADING, count, add).await;
        client.wait_until_idle().await.unwrap();
        let rate = count as f64 / begun.elapsed().as_secs_f64();
        let cpu = Cpu::until_now(cluster, &[]).since(cpu, count);
        let times = rate / *alone.get_or_insert(rate);
        println!(
            "hot: {used} clients of {tasks:>3} tasks {rate:>9.0}/s, {times:.2} times one task ({cpu})"
        );
        join_all(workers.into_iter().map(Worker::stop)).await;
    }
    drop(clients);
    application.end().await;
}

async fn set(client: &Client, row: String) -> fluo_engine::Result<()> {
    client.run(async |tx| tx.set(row.clone(), &HOT, "1")).await
}
