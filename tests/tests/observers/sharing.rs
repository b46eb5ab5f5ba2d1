//! Several workers share the notifications.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_engine::{Client, Observers, Transaction, Worker, observer_fn};
use fluo_table::coordination::MemoryApplications;
use fluo_table::{Bytes, Error, Instance, MemoryTables};
use fluo_tests::Fixture;
use fluo_tests::scenarios::observed::{Runs, column, counts, idle, read, read_now, set};

async fn start(fixture: &Fixture, number: usize, runs: &Runs) -> (Client, Worker) {
    let observers = Observers::new().strong(column("a"), "a", counts(number, runs)).unwrap();
    let client = fixture.client().await.with_observers(observers);
    let worker = client.worker().start().await.unwrap();
    (client, worker)
}

#[tokio::test(start_paused = true)]
async fn other_workers_take_over_the_share_of_a_worker_that_leaves() {
    let runs = Runs::default();
    let observers = Observers::new().strong(column("a"), "a", counts(0, &runs)).unwrap();
    let fixture = Fixture::observed_in_memory(observers).await;
    let (client, first) = start(&fixture, 1, &runs).await;
    let (_, second) = start(&fixture, 2, &runs).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    first.stop().await;
    for row in 0..20 {
        set(&client, &format!("row {row}"), "a", row).await;
    }
    idle(&client).await;
    assert!(runs.lock().unwrap().values().flatten().all(|worker| *worker == 2));
    let (_, third) = start(&fixture, 3, &runs).await;
    drop(second);
    for row in 0..20 {
        set(&client, &format!("row {row}"), "a", row).await;
    }
    idle(&client).await;
    let now = client.snapshot().await.unwrap();
    for row in 0..20 {
        assert_eq!(read(&now, &format!("row {row}"), "count").await, 2);
    }
    third.stop().await;
}

/// A worker whose session ended has no share. It joins again, so that no other worker processes its
/// part forever.
#[tokio::test(start_paused = true)]
async fn workers_whose_sessions_ended_join_again() {
    let runs = Runs::default();
    let observers = Observers::new().strong(column("a"), "a", counts(0, &runs)).unwrap();
    let applications = MemoryApplications::new();
    let tables = Arc::new(MemoryTables::new());
    let instance = Instance::new(tables, Arc::new(applications.clone()));
    let fixture = Fixture::named(&instance, "web", observers).await;
    let (client, _first) = start(&fixture, 1, &runs).await;
    let (_, _second) = start(&fixture, 2, &runs).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(applications.end_workers("web").unwrap(), 2);
    tokio::time::sleep(Duration::from_secs(120)).await;
    // This client has no worker, so that workers find its notifications only by scans of their
    // shares.
    let writer = fixture.client().await;
    for row in 0..40 {
        set(&writer, &format!("row {row}"), "a", row).await;
    }
    idle(&client).await;
    let by = |worker| {
        let runs = runs.lock().unwrap();
        runs.values().filter(|by| by.contains(&worker)).count()
    };
    assert_eq!(by(1) + by(2), 40);
    assert!(by(1) > 5 && by(2) > 5, "{} and {}", by(1), by(2));
    assert_eq!(applications.end_workers("web").unwrap(), 2);
}

/// Runs a cell in one task at a time, so that data outside of its transaction does not change
/// during a run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cell_is_run_by_one_task_at_a_time() {
    let at_once = Arc::new(Mutex::new((0, 0)));
    let seen = at_once.clone();
    let observer = observer_fn(move |tx: Transaction, row: Bytes, from| {
        let seen = seen.clone();
        async move {
            {
                let mut seen = seen.lock().unwrap();
                seen.0 += 1;
                seen.1 = seen.0.max(seen.1);
            }
            let value = tx.get(row.clone(), &from).await?.unwrap_or_default();
            tokio::time::sleep(Duration::from_millis(2)).await;
            tx.set(row, &column("b"), value)?;
            seen.lock().unwrap().0 -= 1;
            Ok::<_, Error>(())
        }
    });
    let fixture =
        Fixture::observed_in_memory(Observers::new().strong(column("a"), "a", observer).unwrap())
            .await;
    let (client, _worker) = fixture.start().await;
    for value in 0..50 {
        set(&client, "r", "a", value).await;
    }
    idle(&client).await;
    assert_eq!(at_once.lock().unwrap().1, 1);
    assert_eq!(read_now(&client, "r", "b").await, 49);
}
