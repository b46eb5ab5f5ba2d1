//! Tasks of one client and of several change a few cells, on a table that serves two calls at once.
//! The clock is paused.

#![cfg(test)]
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "the decision about turns shows these figures"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_engine::{Client, ClientOptions, Observers, Transaction, observer_fn};
use fluo_table::{Bytes, Column, Error, Table};
use fluo_tests::{Call, Fixture, Intercepted};
use futures::future::try_join_all;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

/// Time of a call.
const CALL: Duration = Duration::from_millis(1);
/// Number of calls that the table serves at once.
const SERVED: usize = 2;
/// Number of cells that all runs change.
const HOT: usize = 4;
const RUNS: usize = 1_600;

fn column() -> Column {
    Column::new("total", "value")
}

fn observed() -> Column {
    Column::new("doc", "new")
}

async fn add_one(tx: &Transaction, row: String) -> Result<(), Error> {
    let before = tx.get(row.clone(), &column()).await?;
    tx.set(row, &column(), vec![b'|'; before.map_or(0, |value| value.len()) + 1])
}

/// Adds to one of the hot cells, and to a cell of its own.
async fn add(tx: Transaction, number: usize) -> Result<(), Error> {
    add_one(&tx, format!("doc:{number:08}")).await?;
    add_one(&tx, format!("total:{}", number % HOT)).await
}

/// Adds to two of the hot cells.
async fn add_twice(tx: Transaction, number: usize) -> Result<(), Error> {
    let second = number % HOT + 1 + number / HOT % (HOT - 1);
    add_one(&tx, format!("total:{}", number % HOT)).await?;
    add_one(&tx, format!("total:{}", second % HOT)).await
}

/// The work of a run.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// Adds to one of the hot cells, and to a cell of its own.
    Add,
    /// Adds to two of the hot cells.
    AddTwice,
}

/// Returns a slow handle of the table.
fn slow(fixture: &Fixture) -> Arc<dyn Table> {
    let server = Arc::new(Semaphore::new(SERVED));
    let hooks = move |_: &Call| {
        let server = server.clone();
        async move {
            let _served = server.acquire().await.unwrap();
            sleep(CALL).await;
            Ok(None)
        }
    };
    Arc::new(Intercepted::with_hooks(fixture.table.clone(), hooks).row_by_row())
}

async fn clients(fixture: &Fixture, count: usize) -> Vec<Client> {
    let table = slow(fixture);
    let mut clients = Vec::new();
    for _ in 0..count {
        clients.push(fixture.client_of(table.clone(), ClientOptions::new()).await);
    }
    clients
}

/// Checks that no update of the hot cells was lost.
async fn check_sum(client: &Client, runs: usize) {
    let (snapshot, mut sum) = (client.snapshot().await.unwrap(), 0);
    for hot in 0..HOT {
        let value = snapshot.get(format!("total:{hot}"), &column()).await.unwrap();
        sum += value.map_or(0, |value| value.len());
    }
    assert_eq!(sum, runs);
}

/// The figures of some runs.
#[derive(Clone, Copy, Debug)]
struct Figures {
    /// Times that a body ran, for each commit.
    bodies: f64,
    /// Conflicts for each commit.
    conflicts: f64,
    /// Commits in a second.
    rate: f64,
}

impl Figures {
    /// Measures the runs of some tasks of each of some clients.
    async fn of(work: Work, client_count: usize, tasks: usize) -> Self {
        let fixture = Fixture::in_memory().await;
        let clients = clients(&fixture, client_count).await;
        let [next, bodies] = [0, 0].map(AtomicUsize::new);
        let conflicts = Arc::new(AtomicUsize::new(0));
        let task = async |client: &Client| {
            let conflicts = conflicts.clone();
            let runner = client.runner().on_retry(move |attempt| {
                conflicts.fetch_add(1, Ordering::Relaxed);
                attempt.policy_decision
            });
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= RUNS {
                    return Ok::<_, Error>(());
                }
                let body = |tx| {
                    bodies.fetch_add(1, Ordering::Relaxed);
                    async move {
                        match work {
                            Work::Add => add(tx, number).await,
                            Work::AddTwice => add_twice(tx, number).await,
                        }
                    }
                };
                runner.run(body).await?;
            }
        };
        let begun = Instant::now();
        let all = clients.iter().flat_map(|client| (0..tasks).map(move |_| client));
        try_join_all(all.map(task)).await.unwrap();
        let rate = RUNS as f64 / begun.elapsed().as_secs_f64();
        check_sum(&clients[0], RUNS * if matches!(work, Work::Add) { 1 } else { 2 }).await;
        let each = |count: &AtomicUsize| count.load(Ordering::Relaxed) as f64 / RUNS as f64;
        Self { bodies: each(&bodies), conflicts: each(&conflicts), rate }
    }
}

/// The limits of some figures.
#[derive(Clone, Copy, Debug)]
struct Limits {
    conflicts: f64,
    /// The rate, in times that of one task alone.
    rate: f64,
}

/// Checks the figures of some clients and tasks against those of one task alone.
async fn check(work: Work, counts: &[(usize, usize)], limits: Limits) {
    let alone = Figures::of(work, 1, 1).await;
    assert!(alone.bodies <= 1.0 && alone.conflicts <= 0.0, "{alone:?}");
    for &(clients, tasks) in counts {
        let figures = Figures::of(work, clients, tasks).await;
        let times = figures.rate / alone.rate;
        let shown = format!("{clients} clients of {tasks} tasks: {figures:.2?}, {times:.2} times");
        println!("{work:?}, {shown} one task");
        assert!(times >= limits.rate, "{shown}");
        // The first attempts of all tasks collide, before any has a turn.
        let most = limits.conflicts + (clients * tasks) as f64 / RUNS as f64;
        assert!(figures.conflicts <= most, "{shown}");
        assert!(figures.bodies <= 2.0 + most, "{shown}");
    }
}

/// Of one client, hardly a run conflicts once the first attempts have.
#[tokio::test(start_paused = true)]
async fn first_attempts_of_one_client_wait_for_turns() {
    let limits = Limits { conflicts: 0.02, rate: 0.8 };
    check(Work::Add, &[(1, 8), (1, 32), (1, 128)], limits).await;
}

/// Each client has at most one run with a turn at a cell. Their pauses leave the others time.
#[tokio::test(start_paused = true)]
async fn clients_leave_each_other_time() {
    let limits = Limits { conflicts: 0.3, rate: 0.8 };
    check(Work::Add, &[(2, 8), (2, 32), (2, 128)], limits).await;
    check(Work::Add, &[(4, 32)], Limits { conflicts: 0.5, rate: 0.8 }).await;
}

/// A run has a turn at one of its cells, and keeps it if it conflicts at the other.
#[tokio::test(start_paused = true)]
async fn runs_of_two_hot_cells_take_turns() {
    let limits = Limits { conflicts: 0.7, rate: 0.75 };
    check(Work::AddTwice, &[(1, 8), (1, 32), (1, 128), (2, 32)], limits).await;
}

/// The queue of such a client is empty after each turn, so it forgets the last pause.
#[tokio::test(start_paused = true)]
async fn clients_of_one_task_keep_the_rate_of_one_client() {
    check(Work::Add, &[(16, 1)], Limits { conflicts: 0.4, rate: 0.8 }).await;
}

/// Returns the number of notifications of the observer that are processed in a second.
async fn observe(client_count: usize, tasks: usize) -> f64 {
    let observer = observer_fn(async |tx: Transaction, row: Bytes, _: Column| {
        let number = std::str::from_utf8(&row)?.parse::<usize>()?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(add(tx, number).await?)
    });
    let observers = Observers::new().strong(observed(), "add", observer).unwrap();
    let fixture = Fixture::observed_in_memory(observers).await;
    let (clients, mut workers) = (clients(&fixture, client_count).await, Vec::new());
    for number in 0..RUNS {
        let loader = fixture.client().await;
        loader.run(async |tx| tx.set(number.to_string(), &observed(), "")).await.unwrap();
    }
    let begun = Instant::now();
    for client in &clients {
        workers.push(client.worker().tasks(tasks).start().await.unwrap());
    }
    clients[0].wait_until_idle().await.unwrap();
    let rate = RUNS as f64 / begun.elapsed().as_secs_f64();
    for worker in workers {
        worker.stop().await;
    }
    check_sum(&clients[0], RUNS).await;
    rate
}

#[tokio::test(start_paused = true)]
async fn observers_of_hot_cells_keep_the_rate_of_one_task() {
    let alone = observe(1, 1).await;
    for (clients, tasks) in [(1, 32), (1, 128), (2, 32)] {
        let times = observe(clients, tasks).await / alone;
        println!("observers of {clients} clients of {tasks} tasks: {times:.2} times one task");
        assert!(times >= 0.8, "{clients} clients of {tasks} tasks: {times:.2} times one task");
    }
}
