//! Workers that restart one after the other, under load.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fluo_cluster::Cluster;
use fluo_engine::{Bytes, Client, InstanceExt, Transaction, Worker};
use fluo_table::Column;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

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

/// Starts a worker and waits until it is ready, as a supervisor does before it restarts the next.
async fn start_ready(client: &Client) -> Worker {
    let worker = start(client).await;
    while worker.monitor().check().is_err() {
        sleep(Duration::from_millis(10)).await;
    }
    worker
}

/// The work of all workers within a time.
struct Measured {
    seconds: f64,
    rate: f64,
    /// The longest time without a run, in seconds.
    longest_pause: f64,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, rate, longest_pause } = self;
        write!(
            f,
            "{rate:.0} runs/s within {seconds:.1} s, at most {longest_pause:.2} s without one"
        )
    }
}

/// Counts the runs until `done` has ended.
async fn measure(runs: &AtomicU64, done: impl Future<Output = ()>) -> Measured {
    let (begun, before) = (Instant::now(), runs.load(Ordering::Relaxed));
    let (mut last, mut changed, mut longest_pause) = (before, begun, Duration::ZERO);
    let mut done = pin!(done);
    while timeout(Duration::from_millis(10), &mut done).await.is_err() {
        let now = runs.load(Ordering::Relaxed);
        if now != last {
            (last, changed) = (now, Instant::now());
        }
        longest_pause = longest_pause.max(changed.elapsed());
    }
    let seconds = begun.elapsed().as_secs_f64();
    let rate = (runs.load(Ordering::Relaxed) - before) as f64 / seconds;
    Measured { seconds, rate, longest_pause: longest_pause.as_secs_f64() }
}

/// Runs `count` workers, and prints their rate without and with restarts, and while one joins and
/// one leaves.
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
    let before_restarts = measure(&runs, sleep(UNDISTURBED)).await;
    println!("{count} workers: {before_restarts}");
    let restarts = measure(&runs, async {
        for _ in 0..count {
            workers.remove(0).stop().await;
            sleep(START).await;
            workers.push(start_ready(client).await);
        }
    })
    .await;
    println!(
        "While each restarts once: {restarts}, {:.2} times the rate before",
        restarts.rate / before_restarts.rate
    );
    println!("After it: {}", measure(&runs, sleep(UNDISTURBED)).await);
    let joins = measure(&runs, async {
        workers.push(start_ready(client).await);
    });
    println!("One more worker: {}", joins.await);
    println!("After it: {}", measure(&runs, sleep(UNDISTURBED)).await);
    let leaves = measure(&runs, async {
        workers.remove(0).stop().await;
        // Longer than its place is kept.
        sleep(2 * UNDISTURBED).await;
    });
    println!("One worker less: {}", leaves.await);
    loaders.shutdown().await;
    client.wait_until_idle().await.unwrap();
    for worker in workers {
        worker.stop().await;
    }
    application.end().await;
}
