//! A worker that ends early leaves its notifications to other workers.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, Observer, Observers, Transaction, Worker, observer_fn};
use fluo_table::coordination::FailedNotification;
use fluo_table::{Bytes, Error, RowColumn, Timestamp};
use fluo_tests::Fixture;
use fluo_tests::conformance_coordination::failed;
use fluo_tests::scenarios::observed::{column, idle, number, read_now, set};
use tokio::sync::Semaphore;

/// Returns an observer that counts its runs in `count`, and waits before it returns.
fn slow(begun: &Arc<Semaphore>, resume: &Arc<Semaphore>) -> impl Observer {
    let (begun, resume) = (begun.clone(), resume.clone());
    observer_fn(move |tx: Transaction, row: Bytes, from| {
        let (begun, resume) = (begun.clone(), resume.clone());
        async move {
            let value = number(tx.get(row.clone(), &from).await?);
            let count = number(tx.get(row.clone(), &column("count")).await?);
            tx.set(row.clone(), &column("count"), (count + 1).to_string())?;
            tx.set(row, &column("b"), value.to_string())?;
            begun.add_permits(1);
            drop(resume.acquire().await);
            Ok::<_, Error>(())
        }
    })
}

struct Slow {
    fixture: Fixture,
    begun: Arc<Semaphore>,
    resume: Arc<Semaphore>,
}

impl Slow {
    async fn new() -> Self {
        let (begun, resume) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let observers = Observers::new().strong(column("a"), "a", slow(&begun, &resume)).unwrap();
        Self { fixture: Fixture::observed_in_memory(observers).await, begun, resume }
    }

    /// Starts a worker, and sets the cell of the row `r`, whose run begins.
    async fn start(&self) -> (Client, Worker) {
        let (client, worker) = self.fixture.start().await;
        set(&client, "r", "a", 7).await;
        self.has_begun().await;
        (client, worker)
    }

    async fn has_begun(&self) {
        self.begun.acquire().await.unwrap().forget();
    }
}

/// Checks that the cell of the row `r` was processed once.
async fn was_run_once(client: &Client) {
    assert_eq!((read_now(client, "r", "b").await, read_now(client, "r", "count").await), (7, 1));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_dropped_with_its_client_is_replaced() {
    let slow = Slow::new().await;
    let (client, worker) = slow.start().await;
    drop((client, worker));
    let (client, _worker) = slow.fixture.start().await;
    slow.has_begun().await;
    slow.resume.close();
    idle(&client).await;
    was_run_once(&client).await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_session_ended_loses_no_notification() {
    let slow = Slow::new().await;
    let (client, worker) = slow.start().await;
    slow.fixture.end_session(&client).await;
    let (other, second) = slow.fixture.start().await;
    slow.resume.close();
    idle(&other).await;
    was_run_once(&other).await;
    worker.stop().await;
    second.stop().await;
}

#[tokio::test(start_paused = true)]
async fn stopping_finishes_the_current_runs_and_leaves_the_rest() {
    let slow = Slow::new().await;
    let client = slow.fixture.client().await;
    for row in 0..10 {
        set(&client, &format!("row {row}"), "a", row).await;
    }
    let worker = client.worker().tasks(3).start().await.unwrap();
    for _ in 0..3 {
        slow.has_begun().await;
    }
    let stopping = tokio::spawn(worker.stop());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!stopping.is_finished());
    slow.resume.close();
    stopping.await.unwrap();
    assert_eq!(slow.fixture.notifications().await, 7);
    let (_client, _worker) = slow.fixture.start().await;
    idle(&client).await;
    assert_eq!(slow.fixture.notifications().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_worker_leaves_the_workers_and_ends_its_transactions() {
    let slow = Slow::new().await;
    let (client, worker) = slow.start().await;
    drop(worker);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let share =
        slow.fixture.coordination.join_workers().await.unwrap().share().await.unwrap().unwrap();
    let workers = share.partition().divisor().get();
    assert_eq!(workers, 1, "there is no other worker");
    let now = client.begin().await.unwrap().commit().await.unwrap().start;
    assert!(client.advance_horizon().await.unwrap() > now, "no transaction is open");
}

/// The client of the dropped worker continues. Its transactor is alive, so other clients do not
/// roll back its transactions.
#[tokio::test(start_paused = true)]
async fn another_worker_runs_the_notifications_of_a_dropped_one() {
    const ROWS: i64 = 10;
    let slow = Slow::new().await;
    let (client, first) = slow.fixture.start().await;
    for row in 0..ROWS {
        set(&client, &format!("row {row}"), "a", row).await;
        slow.has_begun().await;
    }
    let (other, second) = slow.fixture.start().await;
    drop(first);
    let taken_over = async {
        for _ in 0..ROWS {
            slow.has_begun().await;
        }
        slow.resume.close();
        idle(&other).await;
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), taken_over).await;
    waited.expect("the other worker takes over all notifications");
    for row in 0..ROWS {
        let name = format!("row {row}");
        let count = read_now(&client, &name, "count").await;
        assert_eq!((read_now(&client, &name, "b").await, count), (row, 1));
    }
    assert_eq!(slow.fixture.notifications().await, 0);
    second.stop().await;
}

/// Finishes the current run of a worker that stops. The worker begins no other run, even if the
/// current one fails.
#[tokio::test(start_paused = true)]
async fn another_worker_runs_a_notification_that_failed_while_its_worker_stopped() {
    let slow = Slow::new().await;
    let (client, first) = slow.start().await;
    let stopping = tokio::spawn(first.stop());
    // The cell changes during the run, so the commit is a conflict.
    set(&client, "r", "b", 1).await;
    slow.resume.add_permits(1);
    stopping.await.unwrap();
    assert_eq!(slow.fixture.notifications().await, 1);
    assert_eq!(read_now(&client, "r", "count").await, 0);
    let (other, _second) = slow.fixture.start().await;
    slow.has_begun().await;
    slow.resume.close();
    idle(&other).await;
    was_run_once(&client).await;
}

/// All runs change one cell, so those that conflicted wait for their turn when the worker stops.
#[tokio::test(start_paused = true)]
async fn a_worker_that_stops_begins_no_run_that_waits_for_its_turn() {
    const RUNS: usize = 4;
    let (begun, resume) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let add = {
        let (begun, resume) = (begun.clone(), resume.clone());
        observer_fn(move |tx: Transaction, _: Bytes, _| {
            let (begun, resume) = (begun.clone(), resume.clone());
            async move {
                let total = number(tx.get("total", &column("b")).await?);
                tx.set("total", &column("b"), (total + 1).to_string())?;
                begun.add_permits(1);
                if let Ok(resumed) = resume.acquire().await {
                    resumed.forget();
                }
                Ok::<_, Error>(())
            }
        })
    };
    let observers = Observers::new().strong(column("a"), "add", add).unwrap();
    let (fixture, client) = Fixture::observed_in_memory(observers).await.with_client().await;
    for row in 0..RUNS {
        set(&client, &format!("row {row}"), "a", 1).await;
    }
    let worker = client.worker().tasks(RUNS).start().await.unwrap();
    let first_attempts = u32::try_from(RUNS).unwrap();
    begun.acquire_many(first_attempts).await.unwrap().forget();
    resume.add_permits(RUNS);
    // One commits. Of the others, one has its turn.
    begun.acquire().await.unwrap().forget();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(begun.available_permits(), 0);
    let stopping = tokio::spawn(worker.stop());
    tokio::task::yield_now().await;
    resume.close();
    stopping.await.unwrap();
    assert_eq!(begun.available_permits(), 0);
    assert_eq!(read_now(&client, "total", "b").await, 2);
    assert_eq!(fixture.notifications().await, RUNS - 2);
}

/// Regression test: while a notification was processed, its cell moved to another worker. That
/// worker moved a later notification of the cell to the dead letters, and removed it from the
/// table. The success of the earlier notification then removed the dead letter, so no trace of the
/// later notification was left.
#[tokio::test(start_paused = true)]
async fn a_success_does_not_remove_the_dead_letter_of_a_later_notification() {
    let slow = Slow::new().await;
    let cell = RowColumn::new("r", column("a"));
    let record = |timestamp| FailedNotification { cell: cell.clone(), timestamp, ..failed("r") };
    let coordination = &slow.fixture.coordination;
    let before = record(Timestamp::ZERO);
    coordination.add_dead_letter(before.clone()).await.unwrap();
    let (client, _worker) = slow.fixture.start().await;
    set(&client, "r", "a", 7).await;
    slow.has_begun().await;
    let later = coordination.timestamps(NonZeroU32::MIN).await.unwrap();
    let later = record(later.first);
    coordination.add_dead_letter(later.clone()).await.unwrap();
    slow.resume.close();
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "b").await, 7);
    assert_eq!(client.failed_notifications().await.unwrap(), [later]);
    // A worker removes the dead letter of an earlier notification, which it has read at its start.
    coordination.add_dead_letter(before).await.unwrap();
    let (client, _worker) = slow.fixture.start().await;
    set(&client, "r", "a", 8).await;
    idle(&client).await;
    assert_eq!(client.failed_notifications().await.unwrap(), []);
}
