//! Waiting until nothing is left to observe is exact, whoever writes meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fluo_core::layout::{NotificationStamp, notification_column};
use fluo_core::{
    CellBatches, Client, ClientSettings, ConditionalMutation, Mutation, Observers, Outcome, Result,
    Scan, Table, WorkerSettings,
};
use futures::StreamExt;
use tokio::time::Instant;

use crate::ground::{Ground, column, copies, idle, read_now, set};

fn chain() -> Observers {
    Observers::new()
        .strong(column("a"), "a", copies("b", |value| value + 1))
        .unwrap()
        .strong(column("b"), "b", copies("c", |value| value + 1))
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_application_with_nothing_to_do_is_idle_at_once() {
    let ground = Ground::new(chain()).await;
    let client = ground.client().await;
    let begun = Instant::now();
    idle(&client).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn without_a_worker_it_is_not_idle() {
    let ground = Ground::new(chain()).await;
    let client = ground.client().await;
    set(&client, "r", "a", 1).await;
    let waited = tokio::time::timeout(Duration::from_secs(60), client.wait_until_idle()).await;
    assert!(waited.is_err());
    let begun = Instant::now();
    let _worker = ground.worker(&client, WorkerSettings::default()).await;
    idle(&client).await;
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
}

/// Whatever a writer had committed before the wait began is observed to the end when it ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_exact_with_writers_at_once() {
    let ground = Ground::new(chain()).await;
    let (client, _worker) = ground.start().await;
    let goes_on = Arc::new(AtomicBool::new(true));
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let (client, goes_on) = (client.clone(), goes_on.clone());
            tokio::spawn(async move {
                let mut value = 0;
                while goes_on.load(Ordering::SeqCst) {
                    value += 1;
                    set(&client, &format!("other {writer}"), "a", value).await;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            })
        })
        .collect();
    for round in 1..=30 {
        let row = format!("row {}", round % 3);
        set(&client, &row, "a", round).await;
        idle(&client).await;
        assert_eq!(
            read_now(&client, &row, "c").await,
            round + 2,
            "round {round}"
        );
    }
    goes_on.store(false, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
}

/// A table in which a transaction of the past still moves its notification from one row to another, right after a look
/// has passed the first of them.
#[derive(Debug)]
struct Moving {
    inner: Arc<dyn Table>,
    moves: Mutex<Vec<Vec<Mutation>>>,
}

#[async_trait]
impl Table for Moving {
    fn scan(&self, scan: Scan) -> CellBatches {
        let is_look = scan.columns().iter().any(|column| column.family == "ntfy");
        let moved = is_look.then(|| self.moves.lock().unwrap().pop()).flatten();
        let Some(moved) = moved else {
            return self.inner.scan(scan);
        };
        // What the look has passed is read before the move, and the rest after it.
        let middle = fluo_core::Key::first_of_row("m");
        let passed =
            fluo_core::Span::between(scan.spans()[0].start().clone(), Some(middle.clone()));
        let rest = fluo_core::Span::between(middle, None);
        let part = |span| {
            let part = Scan::over(span).filter(scan.filter_intent());
            scan.columns().iter().cloned().fold(part, Scan::column)
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

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        self.inner.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        self.inner.write_conditional(mutations).await
    }
}

/// Rule N3: one look is not enough. The transaction had its commit timestamp before the wait began, so that no timestamp
/// is handed out while it goes on.
#[tokio::test(start_paused = true)]
async fn a_notification_that_moves_behind_a_look_is_found_by_the_next() {
    let ground = Ground::new(chain()).await;
    let stamp = |timestamp, is_delete| {
        let timestamp = fluo_core::Timestamp::new(timestamp).unwrap();
        NotificationStamp {
            timestamp,
            is_delete,
        }
        .encode()
    };
    let notified = notification_column(&column("a"));
    let put = |row: &'static str, stamp| Mutation::new(row).put_at(notified.clone(), stamp, "");
    ground
        .table
        .write(vec![put("z", stamp(3, false))])
        .await
        .unwrap();
    let moves = vec![put("a", stamp(5, false)), put("z", stamp(4, true))];
    let table = Moving {
        inner: ground.table.clone(),
        moves: Mutex::new(vec![moves]),
    };
    let settings = ClientSettings::default();
    let client = Client::open(Arc::new(table), ground.coordination.clone(), settings)
        .await
        .unwrap();
    let waited = tokio::time::timeout(Duration::from_secs(60), client.wait_until_idle()).await;
    assert!(waited.is_err(), "a notification is in row `a`");
    assert_eq!(ground.notifications().await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_cell_that_is_no_notification_is_told() {
    let ground = Ground::new(chain()).await;
    let broken = Mutation::new("r").put_at(fluo_core::Column::new("ntfy", "x"), 2, "");
    ground.table.write(vec![broken]).await.unwrap();
    let (client, _worker) = ground.start().await;
    let error = client.wait_until_idle().await.unwrap_err();
    assert_eq!(error.kind(), fluo_core::ErrorKind::Corrupt);
    assert!(
        error
            .to_string()
            .starts_with("`ntfy:x` is not a column of notifications"),
        "{error}"
    );
}
