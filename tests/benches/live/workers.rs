//! Workers that restart one after the other, under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fluo_cluster::Cluster;
use fluo_engine::{Bytes, Client, InstanceExt, Transaction, Worker};
use fluo_table::Column;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::application::{Application, connect};

/// Number of tasks that load rows, as long as fewer than [`BACKLOG`] wait.
const LOADERS: usize = 64;
const BACKLOG: u64 = 5_000;
/// The time that a process takes to end and to start again.
const START: Duration = Duration::from_secs(1);
const UNDISTURBED: Duration = Duration::from_secs(20);

fn page() -> Column {
    Column::new("page", "text")
}

async fn start(client: &Client) -> Worker {
    client.worker().tasks(4).start().await.unwrap()
}

/// Runs `count` workers, and prints their rate without and with restarts.
pub(crate) async fn run(cluster: &Cluster, count: usize) {
    let (instance, zookeepers) = connect(cluster).await;
    let runs = Arc::new(AtomicU64::new(0));
    let counted = runs.clone();
    let handle = instance.application(format!("workers_{}", std::process::id()));
    let handle = handle.observe(&page(), "copy", move |tx: Transaction, row: Bytes| {
        let counted = counted.clone();
        async move {
            let text = tx.get(row.clone(), &page()).await?.unwrap_or_default();
            tx.set(row, &Column::new("page", "copy"), text)?;
            counted.fetch_add(1, Ordering::Relaxed);
            Ok::<_, fluo_engine::Error>(())
        }
    });
    handle.initialize().await.unwrap();
    let application = Application::open(instance, &zookeepers, handle).await;
    let client = &application.client;
    let mut workers = Vec::new();
    for _ in 0..count {
        workers.push(start(client).await);
    }
    let loaded = Arc::new(AtomicU64::new(0));
    let mut loaders = JoinSet::new();
    for loader in 0..LOADERS {
        let client = client.clone();
        let (loaded, runs) = (loaded.clone(), runs.clone());
        loaders.spawn(async move {
            for number in 0.. {
                while loaded.load(Ordering::Relaxed) > runs.load(Ordering::Relaxed) + BACKLOG {
                    sleep(Duration::from_millis(10)).await;
                }
                loaded.fetch_add(1, Ordering::Relaxed);
                let row = format!("{loader:02}:{number:08}");
                client.run(async |tx| tx.set(row.clone(), &page(), "text")).await.unwrap();
            }
        });
    }
    while runs.load(Ordering::Relaxed) == 0 {
        sleep(Duration::from_millis(10)).await;
    }
    let since = |begun: Instant, before: u64| {
        (runs.load(Ordering::Relaxed) - before) as f64 / begun.elapsed().as_secs_f64()
    };
    let measure = async || {
        let (begun, before) = (Instant::now(), runs.load(Ordering::Relaxed));
        sleep(UNDISTURBED).await;
        since(begun, before)
    };
    let before_restarts = measure().await;
    let (begun, before) = (Instant::now(), runs.load(Ordering::Relaxed));
    for _ in 0..count {
        workers.remove(0).stop().await;
        sleep(START).await;
        let worker = start(client).await;
        // As a supervisor does, before it restarts the next one.
        while worker.monitor().check().is_err() {
            sleep(Duration::from_millis(10)).await;
        }
        workers.push(worker);
    }
    let took = begun.elapsed();
    let restarting = since(begun, before);
    let after_restarts = measure().await;
    println!(
        "{count} workers: {before_restarts:.0} runs/s before and {after_restarts:.0} after; while each restarts once, within {:.1} s, {restarting:.0} runs/s: {:.2} times the rate before",
        took.as_secs_f64(),
        restarting / before_restarts
    );
    loaders.shutdown().await;
    client.wait_until_idle().await.unwrap();
    for worker in workers {
        worker.stop().await;
    }
    application.end().await;
}
