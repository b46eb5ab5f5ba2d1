//! A worker that ends in the middle leaves its notifications to others.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_core::coordination::{FailedNotification, ObserverKind};
use fluo_core::{
    Bytes, Error, Observer, Observers, RowColumn, Timestamp, Transaction, Worker, WorkerSettings,
    observer_fn,
};
use tokio::sync::Semaphore;

use crate::ground::{Ground, column, idle, number, read_now, set};

/// Counts its runs in `count`, and waits before it returns.
fn slow(begun: &Arc<Semaphore>, go_on: &Arc<Semaphore>) -> impl Observer {
    let (begun, go_on) = (begun.clone(), go_on.clone());
    observer_fn(move |tx: Transaction, row: Bytes, from| {
        let (begun, go_on) = (begun.clone(), go_on.clone());
        async move {
            let value = number(tx.get(row.clone(), &from).await?);
            let count = number(tx.get(row.clone(), &column("count")).await?);
            tx.set(row.clone(), &column("count"), (count + 1).to_string())?;
            tx.set(row, &column("b"), value.to_string())?;
            begun.add_permits(1);
            drop(go_on.acquire().await);
            Ok::<_, Error>(())
        }
    })
}

struct Slow {
    ground: Ground,
    begun: Arc<Semaphore>,
    go_on: Arc<Semaphore>,
}

impl Slow {
    async fn new() -> Self {
        let (begun, go_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let observers = Observers::new()
            .strong(column("a"), "a", slow(&begun, &go_on))
            .unwrap();
        Self {
            ground: Ground::new(observers).await,
            begun,
            go_on,
        }
    }

    async fn has_begun(&self) {
        self.begun.acquire().await.unwrap().forget();
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_dropped_with_its_client_is_replaced() {
    let slow = Slow::new().await;
    let (client, worker) = slow.ground.start().await;
    set(&client, "r", "a", 7).await;
    slow.has_begun().await;
    drop((client, worker));
    let (client, _worker) = slow.ground.start().await;
    slow.has_begun().await;
    slow.go_on.close();
    idle(&client).await;
    assert_eq!(
        (
            read_now(&client, "r", "b").await,
            read_now(&client, "r", "count").await
        ),
        (7, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn one_whose_session_ended_does_no_harm_and_loses_nothing() {
    let slow = Slow::new().await;
    let (client, worker) = slow.ground.start().await;
    set(&client, "r", "a", 7).await;
    slow.has_begun().await;
    let was_alive = slow
        .ground
        .applications
        .end_transactor("app", client.transactor())
        .unwrap();
    assert!(was_alive);
    let (other, second) = slow.ground.start().await;
    slow.go_on.close();
    idle(&other).await;
    assert_eq!(
        (
            read_now(&other, "r", "b").await,
            read_now(&other, "r", "count").await
        ),
        (7, 1)
    );
    worker.stop().await;
    second.stop().await;
}

#[tokio::test(start_paused = true)]
async fn stopping_finishes_what_is_run_and_leaves_the_rest() {
    let slow = Slow::new().await;
    let client = slow.ground.client().await;
    for row in 0..10 {
        set(&client, &format!("row {row}"), "a", row).await;
    }
    let settings = WorkerSettings {
        tasks: 3,
        ..WorkerSettings::default()
    };
    let worker = slow.ground.worker(&client, settings).await;
    for _ in 0..3 {
        slow.has_begun().await;
    }
    let stopping = tokio::spawn(worker.stop());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!stopping.is_finished());
    slow.go_on.close();
    stopping.await.unwrap();
    assert_eq!(slow.ground.notifications().await, 7);
    let (_client, _worker) = slow.ground.start().await;
    idle(&client).await;
    assert_eq!(slow.ground.notifications().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_worker_leaves_the_workers_and_ends_its_transactions() {
    let slow = Slow::new().await;
    let client = slow.ground.client().await;
    let worker: Worker = slow.ground.worker(&client, WorkerSettings::default()).await;
    set(&client, "r", "a", 7).await;
    slow.has_begun().await;
    drop(worker);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let share = slow
        .ground
        .coordination
        .join_workers()
        .await
        .unwrap()
        .share()
        .await
        .unwrap();
    assert_eq!(share.divisor().get(), 1, "nobody else is there");
    let now = client.begin().await.unwrap().commit().await.unwrap().start;
    assert!(
        client.advance_horizon().await.unwrap() > now,
        "nothing is open"
    );
}

/// Its client goes on, and may do other work: its transactor is alive, and so nothing of its own is undone by others.
#[tokio::test(start_paused = true)]
async fn what_a_dropped_worker_was_running_is_run_by_one_that_is_there() {
    const ROWS: i64 = 10;
    let slow = Slow::new().await;
    let (client, first) = slow.ground.start().await;
    for row in 0..ROWS {
        set(&client, &format!("row {row}"), "a", row).await;
        slow.has_begun().await;
    }
    let (other, second) = slow.ground.start().await;
    drop(first);
    let taken_over = async {
        for _ in 0..ROWS {
            slow.has_begun().await;
        }
        slow.go_on.close();
        idle(&other).await;
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), taken_over).await;
    waited.expect("the other worker takes all of them over");
    for row in 0..ROWS {
        let name = format!("row {row}");
        let count = read_now(&client, &name, "count").await;
        assert_eq!((read_now(&client, &name, "b").await, count), (row, 1));
    }
    assert_eq!(slow.ground.notifications().await, 0);
    second.stop().await;
}

/// Who stops finishes the run that is going on, and begins no other one, also where it has failed.
#[tokio::test(start_paused = true)]
async fn what_fails_while_its_worker_stops_is_run_by_another() {
    let slow = Slow::new().await;
    let (client, first) = slow.ground.start().await;
    set(&client, "r", "a", 7).await;
    slow.has_begun().await;
    let stopping = tokio::spawn(first.stop());
    // The cell changes under the run: its commit is a conflict.
    set(&client, "r", "b", 1).await;
    slow.go_on.add_permits(1);
    stopping.await.unwrap();
    assert_eq!(slow.ground.notifications().await, 1);
    assert_eq!(read_now(&client, "r", "count").await, 0);
    let (other, _second) = slow.ground.start().await;
    slow.has_begun().await;
    slow.go_on.close();
    idle(&other).await;
    let count = read_now(&client, "r", "count").await;
    assert_eq!((read_now(&client, "r", "b").await, count), (7, 1));
}

/// While a notification was run, the cell went over to another worker, which set a later notification of it aside and
/// took it from the table. The success of the earlier one forgot this record, and then nothing told of the later one.
#[tokio::test(start_paused = true)]
async fn a_success_does_not_forget_what_was_set_aside_for_a_later_notification() {
    let slow = Slow::new().await;
    let record = |timestamp| FailedNotification {
        cell: RowColumn::new("r", column("a")),
        kind: ObserverKind::Strong,
        timestamp,
        tries: 1,
        error: "it fails".to_owned(),
        failed_at_ms: 0,
    };
    let coordination = &slow.ground.coordination;
    let before = record(Timestamp::ZERO);
    coordination.set_aside(before.clone()).await.unwrap();
    let (client, _worker) = slow.ground.start().await;
    set(&client, "r", "a", 7).await;
    slow.has_begun().await;
    let later = coordination.timestamps(NonZeroU32::MIN).await.unwrap();
    let later = record(later.first);
    coordination.set_aside(later.clone()).await.unwrap();
    slow.go_on.close();
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "b").await, 7);
    assert_eq!(client.failed_notifications().await.unwrap(), [later]);
    // One of an earlier notification is forgotten, by a worker that knows of it.
    coordination.set_aside(before).await.unwrap();
    let (client, _worker) = slow.ground.start().await;
    set(&client, "r", "a", 8).await;
    idle(&client).await;
    assert_eq!(client.failed_notifications().await.unwrap(), []);
}
