//! Waiting until no notification is left is exact, even during concurrent writes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_engine::{Client, Observers, WorkerOptions};
use fluo_table::layout::{NotificationTimestamp, notification_column};
use fluo_table::{CellBatches, Mutation, Scan, Table};
use fluo_tests::scenarios::observed::{column, copies, idle, read_now, set};
use fluo_tests::{Call, Fixture, Hooks, Intercepted};
use futures::StreamExt;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::is_look;

fn chain() -> Observers {
    Observers::new()
        .strong(column("a"), "a", copies("b", |value| value + 1))
        .unwrap()
        .strong(column("b"), "b", copies("c", |value| value + 1))
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_application_with_nothing_to_do_is_idle_at_once() {
    let client = Fixture::observed_in_memory(chain()).await.client().await;
    let begun = Instant::now();
    idle(&client).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn an_application_without_a_worker_is_not_idle() {
    let client = Fixture::observed_in_memory(chain()).await.client().await;
    set(&client, "r", "a", 1).await;
    let waited = tokio::time::timeout(Duration::from_secs(60), client.wait_until_idle()).await;
    assert!(waited.is_err());
    let begun = Instant::now();
    let _worker = client.worker().start().await.unwrap();
    idle(&client).await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

/// Waits until everything is observed that was committed before the wait. The writers have their
/// own clients, which do not notify the waiting client, and no workers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_is_exact_with_writers_in_other_clients() {
    let (fixture, client) = Fixture::observed_in_memory(chain()).await.with_client().await;
    let _worker = eager(&client).start().await.unwrap();
    let writers = Writers::start(&fixture, Duration::from_millis(100)).await;
    let teller = fixture.client().await;
    for round in 1..=10 {
        let row = format!("row {}", round % 3);
        set(&teller, &row, "a", round).await;
        idle(&client).await;
        let seen = read_now(&client, &row, "c").await;
        assert_eq!(seen, round + 2, "round {round}");
    }
    writers.stop().await;
}

/// A wait may last as long as other clients write without a pause. It is exact when it ends, it can
/// be cancelled at any time, and it ends once the writers pause.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_is_exact_with_writers_that_never_pause() {
    let (fixture, client) = Fixture::observed_in_memory(chain()).await.with_client().await;
    let _worker = eager(&client).start().await.unwrap();
    let writers = Writers::start(&fixture, Duration::ZERO).await;
    let teller = fixture.client().await;
    for round in 1..=20 {
        set(&teller, "row", "a", round).await;
        let most = Duration::from_millis(50);
        if let Ok(ended) = tokio::time::timeout(most, client.wait_until_idle()).await {
            ended.unwrap();
            assert_eq!(read_now(&client, "row", "c").await, round + 2);
        }
    }
    let written = writers.stop().await;
    idle(&client).await;
    assert_eq!(read_now(&client, "row", "c").await, 22);
    for (writer, last) in written.into_iter().enumerate() {
        let row = format!("writer {writer}");
        assert_eq!(read_now(&client, &row, "c").await, last + 2, "{row}");
    }
}

/// Returns settings with frequent scans, because a worker is notified only of the commits of its
/// own client.
fn eager(client: &Client) -> WorkerOptions {
    client
        .worker()
        .min_scan_pause(Duration::from_millis(1))
        .max_scan_pause(Duration::from_millis(4))
}

/// Writers, each with its own client.
struct Writers {
    is_busy: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<i64>>,
}

impl Writers {
    async fn start(fixture: &Fixture, pause: Duration) -> Self {
        let is_busy = Arc::new(AtomicBool::new(true));
        let mut tasks = Vec::new();
        for writer in 0..3 {
            let (client, is_busy) = (fixture.client().await, is_busy.clone());
            tasks.push(tokio::spawn(async move {
                let mut value = 0;
                while is_busy.load(Ordering::SeqCst) {
                    value += 1;
                    set(&client, &format!("writer {writer}"), "a", value).await;
                    match pause.is_zero() {
                        true => tokio::task::yield_now().await,
                        false => tokio::time::sleep(pause).await,
                    }
                }
                value
            }));
        }
        Self { is_busy, tasks }
    }

    /// Stops the writers, and returns the last value of each.
    async fn stop(self) -> Vec<i64> {
        self.is_busy.store(false, Ordering::SeqCst);
        let mut written = Vec::new();
        for task in self.tasks {
            written.push(task.await.unwrap());
        }
        written
    }
}

/// Rule N1: a wait does not end while other clients receive timestamps, even if there is no
/// notification.
#[tokio::test(start_paused = true)]
async fn waiting_ends_only_after_other_clients_pause() {
    let fixture = Fixture::observed_in_memory(chain()).await;
    let is_busy = Arc::new(AtomicBool::new(true));
    let (other, others_commit) = (fixture.client().await, is_busy.clone());
    // Another client commits before each scan for notifications. The column has no observer, so
    // that no scan finds a notification.
    let commit = move |call: &Call| {
        let commits = is_look(call) && others_commit.load(Ordering::SeqCst);
        let other = other.clone();
        async move {
            if commits {
                set(&other, "other", "unobserved", 1).await;
            }
            Ok(None)
        }
    };
    let table = Intercepted::with_hooks(fixture.table.clone(), commit).row_by_row();
    let client = fixture.client_on(Arc::new(table)).await;
    let long = Duration::from_secs(30);
    let waited = tokio::time::timeout(long, client.wait_until_idle()).await;
    assert!(waited.is_err(), "there was no moment without a timestamp");
    // The wait was cancelled, and has left no trace.
    is_busy.store(false, Ordering::SeqCst);
    let begun = Instant::now();
    idle(&client).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

/// Hooks of a table in which an old transaction moves its notification to an earlier row, right
/// after a scan has passed that row.
struct Moving {
    inner: Arc<dyn Table>,
    moves: Mutex<Vec<Vec<Mutation>>>,
}

impl Hooks for Moving {
    fn batches(&self, scan: &Scan, batches: CellBatches) -> CellBatches {
        let moved =
            is_look(&Call::Scan(scan.clone())).then(|| self.moves.lock().unwrap().pop()).flatten();
        let Some(moved) = moved else {
            return batches;
        };
        // The part that the scan has passed is read before the move, and the rest after it.
        let middle = fluo_table::Key::first_of_row("m");
        let passed =
            fluo_table::Span::between(scan.spans()[0].start().clone(), Some(middle.clone()));
        let rest = fluo_table::Span::between(middle, None);
        let part = |span| {
            let part = Scan::over(span).filter(scan.filter);
            scan.columns.iter().cloned().fold(part, Scan::column)
        };
        let (first, rest) = (self.inner.scan(part(passed)), part(rest));
        let inner = self.inner.clone();
        first
            .chain(futures::stream::once(async move {
                inner.write(moved).await?;
                Ok(Vec::new())
            }))
            .chain({
                let inner = self.inner.clone();
                futures::stream::once(async move { inner.scan(rest) }).flatten()
            })
            .filter(|batch| std::future::ready(!matches!(batch, Ok(cells) if cells.is_empty())))
            .boxed()
    }
}

/// Rule N3: one scan is not enough. The transaction had its commit timestamp before the wait began,
/// so no timestamp is handed out during the wait.
#[tokio::test(start_paused = true)]
async fn a_notification_that_moves_behind_a_scan_is_found_by_the_next_one() {
    let fixture = Fixture::observed_in_memory(chain()).await;
    let stamp = |timestamp, is_delete| {
        let timestamp = fluo_table::Timestamp::new(timestamp).unwrap();
        NotificationTimestamp { timestamp, is_delete }.encode()
    };
    let notified = notification_column(&column("a"));
    let put = |row: &'static str, stamp| Mutation::new(row).put_at(notified.clone(), stamp, "");
    fixture.table.write(vec![put("z", stamp(3, false))]).await.unwrap();
    let moves = vec![put("a", stamp(5, false)), put("z", stamp(4, true))];
    let moving = Moving { inner: fixture.table.clone(), moves: Mutex::new(vec![moves]) };
    let table = Intercepted::with_hooks(fixture.table.clone(), moving).row_by_row();
    let client = fixture.client_on(Arc::new(table.clone())).await;
    let waited = tokio::time::timeout(Duration::from_secs(60), client.wait_until_idle()).await;
    assert!(table.hooks().moves.lock().unwrap().is_empty(), "it moved");
    assert!(waited.is_err(), "a notification is in row `a`");
    assert_eq!(fixture.notifications().await, 1);
}

#[tokio::test(start_paused = true)]
async fn reports_an_invalid_notification() {
    let fixture = Fixture::observed_in_memory(chain()).await;
    let broken = Mutation::new("r").put_at(fluo_table::Column::new("ntfy", "x"), 2, "");
    fixture.table.write(vec![broken]).await.unwrap();
    let (client, _worker) = fixture.start().await;
    let error = client.wait_until_idle().await.unwrap_err();
    assert_eq!(error.kind(), fluo_table::ErrorKind::Corrupt);
    assert!(error.to_string().starts_with("`ntfy:x` is not a column of notifications"), "{error}");
}
