//! An unavailable table: for the reads of transactions, for plain writes, or for scans for
//! notifications.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Client, ObserverError, Observers, Transaction, WorkerOptions, observer_fn};
use fluo_table::{Bytes, Column, Error, ErrorKind, Filter, Result, Table};
use fluo_tests::scenarios::observed::{column, fragile, idle, read_now, set};
use fluo_tests::{Call, Fault, Fixture, Hooks, Intercepted};

/// The part of the table that is unavailable.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Away {
    Nothing,
    Reads,
    Writes,
    Looks,
}

/// Hooks that make a part of a table unavailable.
struct Shaky {
    away: Mutex<Away>,
    looks: AtomicUsize,
}

impl Shaky {
    fn set(&self, away: Away) {
        *self.away.lock().unwrap() = away;
    }

    fn is(&self, away: Away) -> bool {
        *self.away.lock().unwrap() == away
    }
}

#[async_trait]
impl Hooks for Shaky {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        let away = match call {
            Call::Write(_) if self.is(Away::Writes) => {
                return Err(Error::new(ErrorKind::Storage, "the disk is full"));
            }
            Call::Scan(scan) => match scan.filter {
                Filter::Snapshot { .. } => Away::Reads,
                Filter::Notifications { share: Some(_) } => Away::Looks,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let is_look = away == Away::Looks;
        self.looks.fetch_add(usize::from(is_look), Ordering::SeqCst);
        Ok(self.is(away).then_some(Fault::Before))
    }
}

async fn fixture(observers: &Observers) -> (Fixture, Arc<Intercepted<dyn Table, Shaky>>) {
    let mut fixture = Fixture::observed_in_memory(observers.clone()).await;
    let shaky = Shaky { away: Mutex::new(Away::Nothing), looks: AtomicUsize::new(0) };
    let shaky = Arc::new(Intercepted::with_hooks(fixture.table.clone(), shaky).row_by_row());
    fixture.table = shaky.clone();
    (fixture, shaky)
}

/// The pause after a scan that finds notifications.
const SCAN_PAUSE: Duration = Duration::from_millis(50);

fn worker(client: &Client) -> WorkerOptions {
    client.worker().min_scan_pause(SCAN_PAUSE).max_attempts(NonZeroU32::new(4).unwrap())
}

/// A conversion of the error of a read into the error of an observer.
type Made = fn(Error) -> ObserverError;

/// Returns an error that hides its cause, as many error crates do.
fn hidden(_: Error) -> ObserverError {
    "the page cannot be read".into()
}

/// Returns an observer that copies `a` to `b`.
fn copies(made: Made, runs: &Arc<AtomicUsize>) -> Observers {
    let runs = runs.clone();
    let copies = observer_fn(move |tx: Transaction, row: Bytes, from: Column| {
        runs.fetch_add(1, Ordering::SeqCst);
        async move {
            let value = tx.get(row.clone(), &from).await.map_err(made)?;
            tx.set(row, &column("b"), value.unwrap_or_default())?;
            Ok::<_, ObserverError>(())
        }
    });
    Observers::new().strong(column("a"), "copy", copies).unwrap()
}

/// Regression test: observers whose errors hide their causes used up their tries while the table
/// was unavailable.
#[tokio::test(start_paused = true)]
async fn an_unavailable_table_uses_up_no_tries() {
    let panics: Made = |error| panic!("{error}");
    for made in [Into::into, hidden, panics] {
        let runs = Arc::default();
        let observers = copies(made, &runs);
        let (fixture, shaky) = fixture(&observers).await;
        let client = fixture.client().await;
        let _worker = worker(&client).start().await.unwrap();
        shaky.hooks().set(Away::Reads);
        set(&client, "r", "a", 1).await;
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        let runs = runs.load(Ordering::SeqCst);
        assert!((60..120).contains(&runs), "{runs}: about once a minute");
        assert_eq!(fixture.notifications().await, 1);
        assert_eq!(client.failed_notifications().await.unwrap(), []);
        shaky.hooks().set(Away::Nothing);
        idle(&client).await;
        assert_eq!(read_now(&client, "r", "b").await, 1);
    }
}

/// Regression test: the dead letter was written, but the notification stayed in the table. It was
/// processed later, and the dead letter was not removed.
#[tokio::test(start_paused = true)]
async fn a_success_removes_the_dead_letter_of_a_notification_that_stayed_in_the_table() {
    let (fixed, runs) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
    let fragile = fragile(Error::invalid("no such page"), &fixed, &runs);
    let observers = Observers::new().strong(column("a"), "copy", fragile).unwrap();
    let (fixture, shaky) = fixture(&observers).await;
    let client = fixture.client().await;
    let _worker = worker(&client).start().await.unwrap();
    set(&client, "bad", "a", 1).await;
    shaky.hooks().set(Away::Writes);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(runs.load(Ordering::SeqCst), 4);
    assert_eq!(failed(&client).await, 1, "the record was written");
    assert_eq!(fixture.notifications().await, 1, "the notification was not removed");
    fixed.store(true, Ordering::SeqCst);
    shaky.hooks().set(Away::Nothing);
    idle(&client).await;
    assert_eq!(failed(&client).await, 0);
}

async fn failed(client: &Client) -> usize {
    client.failed_notifications().await.unwrap().len()
}

/// Regression test: a scan stopped because there was no room, and its next part failed. The room
/// that it had reserved stayed reserved, so each new notification requested a scan at once, which
/// failed again.
#[tokio::test(start_paused = true)]
async fn failed_scans_keep_no_room_and_follow_each_other_after_pauses() {
    let runs = Arc::default();
    let observers = copies(Into::into, &runs);
    let (fixture, shaky) = fixture(&observers).await;
    let client = fixture.client().await;
    for row in ["a", "b", "c"] {
        set(&client, row, "a", 1).await;
    }
    let _worker = worker(&client).max_queued_notifications(1).start().await.unwrap();
    shaky.hooks().set(Away::Looks);
    let (begun, before) = (tokio::time::Instant::now(), shaky.hooks().looks.load(Ordering::SeqCst));
    for number in 0..1_000 {
        set(&client, &format!("r{number}"), "a", 1).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let most = begun.elapsed().as_millis() / SCAN_PAUSE.as_millis() + 1;
    let looks = shaky.hooks().looks.load(Ordering::SeqCst) - before;
    assert!((1..=most).contains(&(looks as u128)), "{looks} scans; at most {most} are expected");
    shaky.hooks().set(Away::Nothing);
    idle(&client).await;
    assert_eq!(read_now(&client, "r999", "b").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_monitor_tells_whether_scans_succeed_until_the_worker_has_ended() {
    let (fixture, shaky) = fixture(&copies(Into::into, &Arc::default())).await;
    let client = fixture.client().await;
    let worker = worker(&client).start().await.unwrap();
    let monitor = worker.monitor();
    let reason = || monitor.check().unwrap_err().to_string();
    assert_eq!(reason(), "the worker has no share of the notifications yet");
    tokio::time::sleep(Duration::from_secs(10)).await;
    monitor.check().unwrap();
    shaky.hooks().set(Away::Looks);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(monitor.check().unwrap_err().kind(), ErrorKind::Unavailable);
    shaky.hooks().set(Away::Nothing);
    tokio::time::sleep(Duration::from_secs(10)).await;
    monitor.check().unwrap();
    worker.stop().await;
    assert_eq!(reason(), "the worker was stopped");
}
