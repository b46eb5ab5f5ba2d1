//! Transactions and observers on Accumulo.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fluo::{Client, InstanceExt, Observers, Transaction, Worker, WorkerOptions, observer_fn};
use fluo_accumulo::{AccumuloOptions, Credentials, Oracle, OracleOptions, ProxyOptions};
use fluo_cluster::Cluster;
use fluo_table::{Bytes, Column, Instance, Scan, Span};
use futures::future::try_join_all;
use futures::stream::TryStreamExt;

/// Number of accounts on each side of the transfers.
const ACCOUNTS: usize = 1_000;
const PATH: &str = "/bench";

fn balance() -> Column {
    Column::new("bank", "balance")
}

fn input() -> Column {
    Column::new("in", "value")
}

fn output() -> Column {
    Column::new("out", "value")
}

/// An application of this process, with its oracle.
struct Bank {
    instance: Instance,
    client: Client,
    observers: Observers,
    oracle: Oracle,
    name: String,
}

impl Bank {
    async fn new(cluster: &Cluster, name: &str) -> Self {
        let credentials = Credentials::password(cluster.user(), cluster.password());
        let proxy = ProxyOptions::new(cluster.proxy().unwrap().address(), credentials);
        let zookeepers = format!("{}{PATH}", cluster.site().zookeepers);
        let options = AccumuloOptions::new(proxy, &zookeepers);
        let instance = fluo_accumulo::connect(options).await.unwrap();
        let observer = observer_fn(async |tx: Transaction, row: Bytes, _| {
            let value = tx.get(row.clone(), &input()).await?;
            tx.set(row, &output(), value.unwrap_or_default())
        });
        let observers = Observers::new().strong(input(), "copy", observer).unwrap();
        let application = instance.application(name).observers(&observers);
        application.initialize().await.unwrap();
        let options = OracleOptions::new(&zookeepers, name).unwrap();
        let oracle = Oracle::start(options.host("localhost")).await.unwrap();
        let client = instance.application(name).open().await.unwrap();
        Self {
            instance,
            client,
            observers,
            oracle,
            name: name.to_owned(),
        }
    }

    async fn end(self) {
        self.client.wait_until_settled().await;
        drop(self.client);
        self.instance
            .application(&self.name)
            .remove()
            .await
            .unwrap();
        self.oracle.stop().await;
    }
}

/// Runs `count` numbered pieces of work from some tasks.
async fn from_tasks<F>(tasks: usize, count: usize, work: impl Fn(usize) -> F + Sync) -> Duration
where
    F: Future<Output = fluo::Result<()>> + Send + 'static,
{
    let (next, begun) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let each = (0..tasks).map(|_| async {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok::<_, fluo::Error>(());
            }
            tokio::spawn(work(number)).await.unwrap()?;
        }
    });
    try_join_all(each).await.unwrap();
    begun.elapsed()
}

async fn one_row(client: Client, number: usize, round: usize) -> fluo::Result<()> {
    let row = format!("row:{:08x}:{round}", number.wrapping_mul(0x9E37_79B1));
    client
        .run(async |tx| tx.set(row.clone(), &Column::new("f", "q"), "value"))
        .await
}

async fn transfer(client: Client, number: usize) -> fluo::Result<()> {
    let mixed = number.wrapping_mul(0x9E37_79B1);
    let from = format!("a:{:04}", mixed % ACCOUNTS);
    let to = format!("b:{:04}", (mixed / ACCOUNTS) % ACCOUNTS);
    client
        .run(async |tx| {
            let read = async |row: &str| {
                let value = tx.get(row.to_owned(), &balance()).await?;
                let text = value.map(|value| String::from_utf8(value.to_vec()).unwrap());
                Ok::<i64, fluo::Error>(text.map_or(0, |text| text.parse().unwrap()))
            };
            let (source, target) = (read(&from).await?, read(&to).await?);
            tx.set(from.clone(), &balance(), (source - 1).to_string())?;
            tx.set(to.clone(), &balance(), (target + 1).to_string())
        })
        .await
}

async fn load(client: Client, number: usize, round: usize) -> fluo::Result<()> {
    let row = format!("doc:{:08x}:{round}", number.wrapping_mul(0x9E37_79B1));
    client
        .run(async |tx| tx.set(row.clone(), &input(), "value"))
        .await
}

fn print(what: &str, tasks: usize, count: usize, took: Duration) {
    let rate = count as f64 / took.as_secs_f64();
    println!("{what:<24} {tasks:>4} tasks {rate:>9.0}/s");
}

/// Runs all cases at some numbers of tasks.
pub(crate) async fn run(cluster: &Cluster) {
    let name = format!("bank_{}", std::process::id());
    let bank = Bank::new(cluster, &name).await;
    let client = &bank.client;
    let fill = |number: usize| {
        let client = client.clone();
        async move {
            let side = if number < ACCOUNTS { "a" } else { "b" };
            let row = format!("{side}:{:04}", number % ACCOUNTS);
            client
                .run(async |tx| tx.set(row.clone(), &balance(), "1000"))
                .await
        }
    };
    from_tasks(128, 2 * ACCOUNTS, fill).await;
    let mut round = 0;
    for (tasks, count) in [(128, 4_000), (16, 2_000), (1, 200)] {
        round += 1;
        let took = from_tasks(tasks, count, |number| {
            one_row(client.clone(), number, round)
        })
        .await;
        print("one-row transactions", tasks, count, took);
        let begin = round * 1_000_000;
        let work = |number| transfer(client.clone(), begin + number);
        let took = from_tasks(tasks, count, work).await;
        print("transfers", tasks, count, took);
        let options = WorkerOptions::new().tasks(tasks);
        let worker = Worker::start(client, bank.observers.clone(), options);
        let worker = worker.await.unwrap();
        // A worker begins when the group of workers has been the same for a while.
        load(client.clone(), usize::MAX, round).await.unwrap();
        client.wait_until_idle().await.unwrap();
        let begun = Instant::now();
        from_tasks(tasks, count, |number| load(client.clone(), number, round)).await;
        client.wait_until_idle().await.unwrap();
        print("load and observe", tasks, count, begun.elapsed());
        worker.stop().await;
    }
    let begun = Instant::now();
    let snapshot = client.snapshot().await.unwrap();
    let mut cells = 0;
    let mut batches = snapshot.scan(Scan::over(Span::all()));
    while let Some(batch) = batches.try_next().await.unwrap() {
        cells += batch.len();
    }
    print("snapshot scan, cells", 1, cells, begun.elapsed());
    drop((batches, snapshot));
    bank.end().await;
}
