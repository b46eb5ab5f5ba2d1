//! Transactions and observers on Accumulo, beside those of Apache Fluo 1.2.0 on the same cluster.
//!
//! Both sides do the same work in turns, each in an application of its own with an oracle of its
//! own. Ratios are medians over the rounds, in each of which one side ran right after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fluo_cluster::{Cluster, JavaPeer};
use fluo_engine::{Client, InstanceExt, Transaction, Worker};
use fluo_table::{Bytes, Column, Scan, Span};
use futures::future::try_join_all;
use futures::stream::TryStreamExt;
use tokio::task::block_in_place;

use crate::application::{Application, connect};
use crate::cpu::Cpu;
use crate::figures::Figures;

/// Number of accounts on each side of the transfers.
const ACCOUNTS: usize = 1_000;
/// Settings of Java, so that its worker begins after seconds and finds notifications soon.
const SETTINGS: [(&str, &str); 3] = [
    ("fluo.app.bench", "true"),
    ("fluo.impl.worker.finder.minSleep", "200"),
    ("fluo.impl.worker.finder.maxSleep", "2000"),
];
/// The numbers of tasks, and the number of transactions for each.
const SIZES: [(usize, usize); 3] = [(128, 6_000), (16, 2_000), (1, 300)];

/// The property of a table whose servers search only the files that may have a row.
const BLOOM_FILTERS: [(&str, Option<&str>); 1] = [("table.bloom.enabled", Some("true"))];

/// The round of the transactions that age the table.
const AGEING: usize = 1_000;
const KINDS: [&str; 4] = ["one-row", "transfer", "observe", "scan"];

fn balance() -> Column {
    Column::new("bank", "balance")
}

fn input() -> Column {
    Column::new("in", "value")
}

fn output() -> Column {
    Column::new("out", "value")
}

/// The time of some work, the number of its pieces, and the CPU time of a piece.
struct Work {
    took: Duration,
    pieces: usize,
    cpu: Cpu,
}

impl Work {
    /// Returns the time of a piece.
    fn each(&self) -> Duration {
        self.took / u32::try_from(self.pieces.max(1)).unwrap()
    }
}

/// An application of this process, with its oracle.
struct Bank<'a> {
    cluster: &'a Cluster,
    application: Application,
}

impl<'a> Bank<'a> {
    async fn new(cluster: &'a Cluster, name: &str, has_bloom_filters: bool) -> Self {
        let (instance, zookeepers) = connect(cluster).await;
        let copy = async |tx: Transaction, row: Bytes| {
            let value = tx.get(row.clone(), &input()).await?;
            tx.set(row, &output(), value.unwrap_or_default())
        };
        let application = instance.application(name).observe(&input(), "copy", copy);
        application.initialize().await.unwrap();
        if has_bloom_filters {
            let tables = instance.table_admin();
            tables.change_properties(name, &BLOOM_FILTERS).await.unwrap();
        }
        Self { cluster, application: Application::open(instance, &zookeepers, application).await }
    }

    async fn run(&self, kind: &str, tasks: usize, count: usize, round: usize) -> Work {
        let worker = match kind {
            "observe" => Some(self.worker(tasks, round).await),
            _ => None,
        };
        let cpu = Cpu::until_now(self.cluster, &[]);
        let (took, pieces) = self.work(kind, tasks, count, round).await;
        let cpu = Cpu::until_now(self.cluster, &[]).since(cpu, pieces);
        if let Some(worker) = worker {
            worker.stop().await;
        }
        Work { took, pieces, cpu }
    }

    /// Does some work, and returns its time and the number of pieces.
    async fn work(
        &self,
        kind: &str,
        tasks: usize,
        count: usize,
        round: usize,
    ) -> (Duration, usize) {
        let client = &self.application.client;
        let took = match kind {
            "fill" => from_tasks(tasks, count, |number| fill(client.clone(), number)).await,
            "one-row" => {
                let row = |number| named("row", number, round);
                let column = Column::new("f", "q");
                from_tasks(tasks, count, |number| set(client.clone(), row(number), column.clone()))
                    .await
            }
            "transfer" => {
                let first = round * 1_000_000;
                from_tasks(tasks, count, |number| transfer(client.clone(), first + number)).await
            }
            "observe" => {
                let begun = Instant::now();
                from_tasks(tasks, count, |number| {
                    set(client.clone(), named("doc", number, round), input())
                })
                .await;
                client.wait_until_idle().await.unwrap();
                begun.elapsed()
            }
            _ => return self.scan().await,
        };
        (took, count)
    }

    /// Starts a worker, and waits until it works: it begins when the group of workers has been the
    /// same for a while.
    async fn worker(&self, tasks: usize, round: usize) -> Worker {
        let client = &self.application.client;
        let worker = client.worker().tasks(tasks).start();
        let worker = worker.await.unwrap();
        set(client.clone(), named("first", 0, round), input()).await.unwrap();
        client.wait_until_idle().await.unwrap();
        worker
    }

    async fn scan(&self) -> (Duration, usize) {
        let begun = Instant::now();
        let snapshot = self.application.client.snapshot().await.unwrap();
        let mut cells = 0;
        let mut batches = snapshot.scan(Scan::over(Span::all()));
        while let Some(batch) = batches.try_next().await.unwrap() {
            cells += batch.len();
        }
        (begun.elapsed(), cells)
    }
}

/// An application of Java, with its oracle and its client in processes of their own.
struct JavaBank<'a> {
    cluster: &'a Cluster,
    zookeepers: String,
    name: String,
    client: JavaPeer,
    _oracle: JavaPeer,
    /// A client of this process, which waits until the observers are idle.
    waiting: Client,
}

impl<'a> JavaBank<'a> {
    async fn new(cluster: &'a Cluster, name: &str) -> Self {
        let (instance, zookeepers) = connect(cluster).await;
        let start = || JavaPeer::start(cluster, &zookeepers, name, &SETTINGS).unwrap();
        let (mut client, mut oracle) = (start(), start());
        block_in_place(|| {
            client.ask("initialize").unwrap();
            oracle.ask("start-oracle").unwrap();
        });
        let waiting = instance.application(name).open().await.unwrap();
        Self { cluster, name: name.to_owned(), client, _oracle: oracle, waiting, zookeepers }
    }

    fn ask(&mut self, kind: &str, tasks: usize, count: usize, round: usize) -> (Duration, usize) {
        let command = format!("bench {kind} {tasks} {count} {round}");
        let answer = block_in_place(|| self.client.ask(&command)).unwrap();
        let mut words = answer.split(' ').map(|word| word.parse().unwrap());
        let took = Duration::from_micros(words.next().unwrap());
        let counted = words.next().and_then(|cells| usize::try_from(cells).ok());
        (took, counted.unwrap_or(count))
    }

    async fn run(&mut self, kind: &str, tasks: usize, count: usize, round: usize) -> Work {
        let mut worker = match kind {
            "observe" => Some(self.worker(tasks, round).await),
            _ => None,
        };
        let cpu = self.cpu(worker.as_ref());
        let (took, pieces) = match kind {
            "observe" => {
                let begun = Instant::now();
                self.ask("load", tasks, count, round);
                self.waiting.wait_until_idle().await.unwrap();
                (begun.elapsed(), count)
            }
            _ => self.ask(kind, tasks, count, round),
        };
        let cpu = self.cpu(worker.as_ref()).since(cpu, pieces);
        if let Some(worker) = &mut worker {
            block_in_place(|| worker.ask("stop-worker")).unwrap();
        }
        Work { took, pieces, cpu }
    }

    /// Starts a worker in a process of its own, and waits until it works.
    async fn worker(&mut self, tasks: usize, round: usize) -> JavaPeer {
        let threads = tasks.to_string();
        let settings = [&SETTINGS[..], &[("fluo.worker.num.threads", &threads)]].concat();
        let worker = JavaPeer::start(self.cluster, &self.zookeepers, &self.name, &settings);
        let mut worker = worker.unwrap();
        block_in_place(|| worker.ask("start-worker")).unwrap();
        self.ask("load", 1, 1, 10_000 + round);
        self.waiting.wait_until_idle().await.unwrap();
        worker
    }

    /// Returns the CPU times until now, of the worker too.
    fn cpu(&self, worker: Option<&JavaPeer>) -> Cpu {
        let clients: Vec<_> = worker.into_iter().chain([&self.client]).collect();
        Cpu::until_now(self.cluster, &clients)
    }
}

/// Runs `count` numbered pieces of work from some tasks.
pub(crate) async fn from_tasks<F>(
    tasks: usize,
    count: usize,
    work: impl Fn(usize) -> F + Sync,
) -> Duration
where
    F: Future<Output = fluo_engine::Result<()>> + Send + 'static,
{
    let (next, begun) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let each = (0..tasks).map(|_| async {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok::<_, fluo_engine::Error>(());
            }
            tokio::spawn(work(number)).await.unwrap()?;
        }
    });
    try_join_all(each).await.unwrap();
    begun.elapsed()
}

/// Returns a row; consecutive numbers are far from each other.
fn named(prefix: &str, number: usize, round: usize) -> String {
    format!("{prefix}:{:08x}:{round}", number.wrapping_mul(0x9E37_79B1))
}

async fn set(client: Client, row: String, column: Column) -> fluo_engine::Result<()> {
    client.run(async |tx| tx.set(row.clone(), &column, "value")).await
}

async fn fill(client: Client, number: usize) -> fluo_engine::Result<()> {
    let side = if number < ACCOUNTS { "a" } else { "b" };
    let row = format!("{side}:{:04}", number % ACCOUNTS);
    client.run(async |tx| tx.set(row.clone(), &balance(), "1000")).await
}

async fn transfer(client: Client, number: usize) -> fluo_engine::Result<()> {
    let mixed = number.wrapping_mul(0x9E37_79B1);
    let from = format!("a:{:04}", mixed % ACCOUNTS);
    let to = format!("b:{:04}", (mixed / ACCOUNTS) % ACCOUNTS);
    client
        .run(async |tx| {
            let read = async |row: &str| {
                let value = tx.get(row.to_owned(), &balance()).await?;
                let text = value.map(|value| String::from_utf8(value.to_vec()).unwrap());
                Ok::<i64, fluo_engine::Error>(text.map_or(0, |text| text.parse().unwrap()))
            };
            let (source, target) = (read(&from).await?, read(&to).await?);
            tx.set(from.clone(), &balance(), (source - 1).to_string())?;
            tx.set(to.clone(), &balance(), (target + 1).to_string())
        })
        .await
}

/// The work to measure: the words after `transactions`.
pub(crate) struct Choice {
    rounds: usize,
    has_java: bool,
    kinds: Vec<&'static str>,
    tasks: Vec<usize>,
    /// Number of transactions that age the table before.
    age: usize,
    has_bloom_filters: bool,
}

impl Choice {
    /// Reads `[ROUNDS] [alone] [bloom] [KIND..] [tasks=NUMBER..] [age=NUMBER]`.
    pub(crate) fn of(words: &[String]) -> Self {
        let has = |kind: &&str| words.iter().any(|word| word == kind);
        let mut kinds: Vec<_> = KINDS.into_iter().filter(has).collect();
        if kinds.is_empty() {
            kinds.extend(KINDS);
        }
        let tasks = words.iter().filter_map(|word| word.strip_prefix("tasks="));
        let age = words.iter().find_map(|word| word.strip_prefix("age="));
        let rounds = words.iter().find_map(|word| word.parse().ok());
        Self {
            rounds: rounds.unwrap_or(3),
            has_java: !words.iter().any(|word| word == "alone"),
            kinds,
            tasks: tasks.map(|tasks| tasks.parse().unwrap()).collect(),
            age: age.map_or(0, |age| age.parse().unwrap()),
            has_bloom_filters: words.iter().any(|word| word == "bloom"),
        }
    }
}

/// Runs the chosen work on both sides, or on ours alone. A rate is followed by the CPU time of a
/// piece of work, in microseconds: that of the client, the proxy, the tablet servers and ZooKeeper.
pub(crate) async fn run(cluster: &Cluster, choice: &Choice) {
    let name = |side: &str| format!("{side}_{}", std::process::id());
    let bank = Bank::new(cluster, &name("bank"), choice.has_bloom_filters).await;
    let mut java = None;
    if choice.has_java {
        java = Some(JavaBank::new(cluster, &name("bank_of_java")).await);
    }
    bank.run("fill", 128, 2 * ACCOUNTS, 0).await;
    if let Some(java) = &mut java {
        java.run("fill", 128, 2 * ACCOUNTS, 0).await;
    }
    if choice.age > 0 {
        // Nine of ten write a row, and one is a transfer.
        for (kind, count) in [("one-row", choice.age / 10 * 9), ("transfer", choice.age / 10)] {
            bank.run(kind, 128, count, AGEING).await;
            if let Some(java) = &mut java {
                java.run(kind, 128, count, AGEING).await;
            }
        }
        // Java's table drops garbage in each flush.
        bank.application.collect_garbage().await;
    }
    let mut number = 0;
    for (tasks, count) in SIZES {
        if !choice.tasks.is_empty() && !choice.tasks.contains(&tasks) {
            continue;
        }
        for kind in &choice.kinds {
            let (mut ours, mut theirs) = (Figures::default(), Figures::default());
            let (mut cpu, mut cpu_of_java) = (Cpu::default(), Cpu::default());
            for _ in 0..choice.rounds {
                number += 1;
                let work = bank.run(kind, tasks, count, number).await;
                cpu = work.cpu;
                ours.add(work.each());
                if let Some(java) = &mut java {
                    let work = java.run(kind, tasks, count, number).await;
                    cpu_of_java = work.cpu;
                    theirs.add(work.each());
                }
            }
            print!("{kind:<10} {tasks:>4} tasks {:>9.0}/s ({cpu})", ours.rate(1));
            match choice.has_java {
                true => println!(
                    "; Java {:>9.0}/s ({cpu_of_java}): {:.1} times",
                    theirs.rate(1),
                    theirs.ratio_to(&ours)
                ),
                false => println!(),
            }
        }
    }
    bank.application.end().await;
}
