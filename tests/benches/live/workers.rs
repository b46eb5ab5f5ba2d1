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

/// Number of tasks that load rows without a pause.
const LOADERS: usize = 64;
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
    let mut loaders = JoinSet::new();
    for loader in 0..LOADERS {
        let client = client.clone();
        loaders.spawn(async move {
            for number in 0.. {
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
    let (begun, before) = (Instant::now(), runs.load(Ordering::Relaxed));
    sleep(UNDISTURBED).await;
    let undisturbed = since(begun, before);

    let (begun, before) = (Instant::now(), runs.load(Ordering::Relaxed));
    for _ in 0..count {
        workers.remove(0).stop().await;
        let worker = start(client).await;
        // As a supervisor does, before it restarts the next one.
        while worker.monitor().check().is_err() {
            sleep(Duration::from_millis(10)).await;
        }
        workers.push(worker);
    }
    let took = begun.elapsed();
    let restarting = since(begun, before);
    println!(
        "{count} workers: {undisturbed:.0} runs/s; while each restarts once, within {:.1} s, {restarting:.0} runs/s: {:.2} times",
        took.as_secs_f64(),
        restarting / undisturbed
    );
    loaders.shutdown().await;
    client.wait_until_idle().await.unwrap();
    for worker in workers {
        worker.stop().await;
    }
    application.end().await;
}
