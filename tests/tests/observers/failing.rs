//! A notification that keeps failing becomes a dead letter, and does not stop the others.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use fluo_engine::{Client, Observers, Worker, WorkerOptions};
use fluo_table::coordination::FailedNotification;
use fluo_table::layout::{NotificationTimestamp, notification_column};
use fluo_table::{Column, Error, ErrorKind, Mutation, RowColumn, Timestamp};
use fluo_tests::conformance_coordination::failed;
use fluo_tests::scenarios::observed::{column, fragile, idle, read_now, set};
use fluo_tests::{Fixture, ManualClock};

struct Fragile {
    fixture: Fixture,
    client: Client,
    worker: Worker,
    fixed: Arc<AtomicBool>,
    runs: Arc<AtomicU32>,
}

const TRIES: u32 = 4;

fn worker_of(client: &Client) -> WorkerOptions {
    client.worker().max_attempts(NonZeroU32::new(TRIES).unwrap())
}

impl Fragile {
    async fn start() -> Self {
        Self::failing_with(Error::invalid("no such page")).await
    }

    async fn failing_with(error: Error) -> Self {
        let (fixed, runs) = (Arc::default(), Arc::default());
        let fragile = fragile(error, &fixed, &runs);
        let observers = Observers::new().strong(column("a"), "copy", fragile).unwrap();
        let (fixture, client) = Fixture::observed_in_memory(observers).await.with_client().await;
        let clock = Arc::new(ManualClock::at(1_000));
        let worker = worker_of(&client).clock(clock).start();
        let worker = worker.await.unwrap();
        Self { fixture, client, worker, fixed, runs }
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    async fn failed(&self) -> Vec<FailedNotification> {
        self.client.failed_notifications().await.unwrap()
    }
}

fn cell(row: &'static str) -> RowColumn {
    RowColumn::new(row, column("a"))
}

#[tokio::test(start_paused = true)]
async fn the_success_of_a_later_notification_removes_the_dead_letter() {
    let fragile = Fragile::start().await;
    let Fragile { client, .. } = &fragile;
    set(client, "bad", "a", 1).await;
    idle(client).await;
    assert_eq!(fragile.failed().await.len(), 1);
    fragile.fixed.store(true, Ordering::SeqCst);
    set(client, "bad", "a", 2).await;
    idle(client).await;
    assert_eq!(read_now(client, "bad", "b").await, 2);
    assert_eq!(fragile.failed().await, []);
}

#[tokio::test(start_paused = true)]
async fn a_notification_that_arrives_during_a_failure_is_processed() {
    let fragile = Fragile::start().await;
    let Fragile { client, .. } = &fragile;
    set(client, "bad", "a", 1).await;
    while fragile.runs() < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    set(client, "bad", "a", 2).await;
    fragile.fixed.store(true, Ordering::SeqCst);
    idle(client).await;
    assert_eq!(read_now(client, "bad", "b").await, 2);
    assert_eq!(fragile.failed().await, []);
}

#[tokio::test(start_paused = true)]
async fn pauses_between_tries_grow() {
    let fragile = Fragile::start().await;
    let Fragile { client, .. } = &fragile;
    let begun = tokio::time::Instant::now();
    set(client, "bad", "a", 1).await;
    idle(client).await;
    // 100 + 200 + 400 milliseconds, and the time of scans and of rounding.
    let elapsed = begun.elapsed().as_millis();
    assert!((700..1_500).contains(&elapsed), "{elapsed}");
}

/// The error is the observer's own, of the same kind as the error of an unavailable table.
#[tokio::test(start_paused = true)]
async fn an_unavailable_service_of_the_observer_uses_up_tries() {
    let away = Error::new(ErrorKind::Unavailable, "the service that counts pages is away");
    let fragile = Fragile::failing_with(away).await;
    let Fragile { client, .. } = &fragile;
    set(client, "bad", "a", 1).await;
    idle(client).await;
    assert_eq!(fragile.runs(), 4);
    let failed = fragile.failed().await;
    assert_eq!(failed[0].error, "the service that counts pages is away");
    assert_eq!(fragile.fixture.notifications().await, 0);
}

/// Counts tries in the memory of each worker: another worker starts from zero.
#[tokio::test(start_paused = true)]
async fn tries_are_counted_by_each_worker() {
    let fragile = Fragile::start().await;
    set(&fragile.client, "bad", "a", 1).await;
    while fragile.runs() < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let Fragile { client, worker, runs, .. } = fragile;
    worker.stop().await;
    assert_eq!(client.failed_notifications().await.unwrap(), []);
    let _worker = worker_of(&client).start().await.unwrap();
    idle(&client).await;
    let failed = client.failed_notifications().await.unwrap();
    assert_eq!((runs.load(Ordering::SeqCst), failed[0].tries), (3 + 4, TRIES));
}

#[tokio::test(start_paused = true)]
async fn a_failing_notification_is_retried_while_the_list_of_dead_letters_is_full() {
    let fragile = Fragile::start().await;
    let Fragile { fixture, client, .. } = &fragile;
    for number in 0..FailedNotification::MAX_DEAD_LETTERS {
        let failed = failed(format!("other {number}"));
        fixture.coordination.add_dead_letter(failed).await.unwrap();
    }
    set(client, "bad", "a", 1).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let runs = fragile.runs();
    assert_eq!((runs, fixture.notifications().await), (4, 1));
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!((9..=11).contains(&(fragile.runs() - runs)), "{}", fragile.runs());
    set(client, "good", "a", 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(read_now(client, "good", "b").await, 1);
    let room = failed("other 0");
    let forgotten = fixture.coordination.remove_dead_letter(&room.cell, room.timestamp);
    assert!(forgotten.await.unwrap());
    idle(client).await;
    assert!(fragile.failed().await.iter().any(|failed| failed.cell == cell("bad")));
}

/// A client in another language, or an older client, may notify a column without an observer.
#[tokio::test(start_paused = true)]
async fn a_notification_without_an_observer_becomes_a_dead_letter() {
    let fragile = Fragile::start().await;
    let Fragile { fixture, client, .. } = &fragile;
    let stranger = Column { visibility: "".into(), ..column("stranger") };
    let stamp = NotificationTimestamp { timestamp: Timestamp::new(2).unwrap(), is_delete: false };
    let written = Mutation::new("r").put_at(notification_column(&stranger), stamp.encode(), "");
    fixture.table.write(vec![written]).await.unwrap();
    idle(client).await;
    let failed = fragile.failed().await;
    assert_eq!(failed[0].cell, RowColumn::new("r", stranger));
    assert_eq!(
        failed[0].error,
        "no observer of the column `f:stranger` is declared in this program; declare one, or start a program that does"
    );
}
