//! A table sink: repeated exports, exports at the same time, and lost answers.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fluo_engine::{Bytes, Column, Error, ErrorKind, ObserverError, Timestamp};
use fluo_recipes::export_queue::{Export, Exported, Exporter, Exports};
use fluo_recipes::sink::TableSink;
use fluo_table::{Mutation, Outcome, Result, Scan, Span, Table, Versions};
use fluo_tests::{Call, Fault, Hooks, Intercepted, Written};

use crate::metrics::recorded;
use crate::sink::{queue, table_showing};

fn count() -> Column {
    Column::new("page", "count")
}

fn export(key: &str, number: u64) -> Export<String, u64> {
    let sequence = Timestamp::new(number).unwrap();
    Export::new(key.to_owned(), key.to_owned(), number, sequence)
}

/// Exports numbers of the key `cat`, whose sequences are the numbers.
fn exports(numbers: &[u64]) -> Exports<String, u64> {
    let numbers = numbers.iter();
    numbers.map(|number| export("cat", *number)).collect()
}

/// Exports a number of many keys.
fn many(keys: usize, number: u64) -> Exports<String, u64> {
    let keys = (0..keys).map(|key| export(&format!("{key:02}"), number));
    keys.collect()
}

/// Returns a sink whose cells have one timestamp, so the last write wins.
fn sink(table: Arc<dyn Table>) -> impl Exporter<String, u64> {
    let translate = |export: &Export<String, u64>| -> Result<_, ObserverError> {
        let mutation = Mutation::new(export.key.clone());
        Ok(vec![mutation.put_at(count(), 1, export.value.to_string())])
    };
    TableSink::new(&queue("visits"), table, translate)
}

/// Returns a table that shows all writes.
async fn table() -> Arc<dyn Table> {
    table_showing(Versions::All).await.1
}

async fn value(table: &dyn Table) -> Option<Bytes> {
    table.get("cat", &count()).await.unwrap()
}

/// Delivers exports to one table, and returns the number of late ones and their log.
fn late_ones(deliveries: &[&[u64]]) -> (u64, String) {
    let log = Written::default();
    let copy = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false);
    let subscriber = subscriber.with_writer(move || copy.clone()).finish();
    let delivered = async {
        let sink = sink(table().await);
        for numbers in deliveries {
            sink.export(exports(numbers)).await.unwrap();
        }
    };
    let metrics = tracing::subscriber::with_default(subscriber, || recorded(delivered));
    let late = ("fluo_queue_late_exports_total".to_owned(), "visits".to_owned());
    (metrics.get(&late).copied().unwrap_or_default(), log.text())
}

#[test]
fn counts_and_logs_exports_that_committed_too_late() {
    let (late, log) = late_ones(&[&[3], &[5], &[4]]);
    assert_eq!(late, 1);
    for part in [
        " WARN ",
        "an export is not written, because a later one of its key was",
        "queue=\"visits\"",
        "cell=cat fluoRecipes:seq:visits:cat",
        "sequence=4 last=5",
    ] {
        assert!(log.contains(part), "{log}");
    }
    assert_eq!(late_ones(&[&[5], &[3, 4], &[7]]).0, 2);
    for repeated in [&[&[3, 5][..], &[3, 5]][..], &[&[3], &[3, 5], &[3, 5, 7]], &[&[3], &[], &[3]]]
    {
        assert_eq!(late_ones(repeated), (0, String::new()), "{repeated:?}");
    }
}

#[tokio::test]
async fn ignores_exports_that_are_repeated() {
    let table = table().await;
    let recorded = Arc::new(Intercepted::with_hooks(table.clone(), Calls::default()));
    let sink = sink(recorded.clone());
    for (numbers, expected, writes) in [
        (&[3][..], "3", true),
        (&[5], "5", true),
        (&[5], "5", false),
        (&[3], "5", false),
        (&[3, 5, 7], "7", true),
    ] {
        let exported = sink.export(exports(numbers)).await.unwrap();
        assert_eq!(exported, Exported::All);
        assert_eq!(value(&*table).await.as_deref(), Some(expected.as_bytes()));
        let calls = std::mem::take(&mut *recorded.hooks().log.lock().unwrap());
        let one_write = ["scan 1", "write 1"];
        assert_eq!(calls, one_write[..1 + usize::from(writes)]);
    }
}

/// A worker that has stopped sends its exports late: after it has read that none is later, and
/// after another worker has written a later one.
#[tokio::test]
async fn writes_nothing_if_a_later_export_is_written_at_the_same_time() {
    for stored in [&[][..], &[1]] {
        let table = table().await;
        let direct = Arc::new(sink(table.clone()));
        direct.export(exports(stored)).await.unwrap();
        let meanwhile = direct.clone();
        let late = Intercepted::with_hooks(table.clone(), move |call: &Call| {
            let (is_write, meanwhile) = (call.is_write(), meanwhile.clone());
            async move {
                if is_write {
                    meanwhile.export(exports(&[7])).await.unwrap();
                }
                Ok(None)
            }
        });
        let exported = sink(Arc::new(late)).export(exports(&[5])).await.unwrap();
        assert_eq!(exported, Exported::All);
        assert_eq!(value(&*table).await.as_deref(), Some(&b"7"[..]));
    }
}

/// A log of the calls of a sink, and the answers that it gets to its first write.
#[derive(Default)]
struct Calls {
    log: Mutex<Vec<String>>,
    fault: Option<Fault>,
    /// `true` if the last outcome of the first write is lost.
    loses_last: bool,
}

impl Calls {
    fn is_first_write(&self) -> bool {
        let log = self.log.lock().unwrap();
        log.iter().filter(|call| call.starts_with("write")).count() == 1
    }
}

#[async_trait]
impl Hooks for Calls {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        let line = match call {
            Call::Scan(scan) => format!("scan {}", scan.spans().len()),
            call => format!("write {}", call.mutations().len()),
        };
        self.log.lock().unwrap().push(line);
        let is_faulty = call.is_write() && self.is_first_write();
        Ok(self.fault.filter(|_| is_faulty))
    }

    async fn after(&self, _: &Call, answer: &mut Result<Vec<Outcome>>) {
        if self.loses_last && self.is_first_write() {
            let lost = Error::new(ErrorKind::Uncertain, "the answer was lost");
            *answer.as_mut().unwrap().last_mut().unwrap() = Outcome::Unknown(lost);
        }
    }
}

#[tokio::test]
async fn writes_once_although_an_outcome_is_unknown() {
    let is = |fault, loses_last| Calls { fault, loses_last, ..Calls::default() };
    for (calls, expected) in [
        (is(None, false), &["scan 3", "write 3"][..]),
        (is(None, true), &["scan 3", "write 3", "scan 1"]),
        (is(Some(Fault::After), false), &["scan 3", "write 3", "scan 3"]),
        (is(Some(Fault::Lost), false), &["scan 3", "write 3", "scan 3", "write 3"]),
    ] {
        let table = table().await;
        let recorded = Arc::new(Intercepted::with_hooks(table.clone(), calls));
        let exported = sink(recorded.clone()).export(many(3, 7)).await.unwrap();
        assert_eq!(exported, Exported::All);
        assert_eq!(*recorded.hooks().log.lock().unwrap(), expected);
        let cells = table.read(Scan::over(Span::all())).await.unwrap();
        assert_eq!(cells.len(), 3 * 2, "a value and a sequence each");
    }
}

/// Exports to 30 rows, of which other exports change all but some right before each write.
async fn export_while_others_write(unchanged: usize) -> Result<Exported, String> {
    let table = table().await;
    let (direct, rounds) = (Arc::new(sink(table.clone())), Arc::new(Mutex::new(0)));
    let racing = Intercepted::with_hooks(table, move |call: &Call| {
        let rows = call.mutations().len().saturating_sub(unchanged);
        let (direct, rounds) = (direct.clone(), rounds.clone());
        async move {
            if rows > 0 {
                let number = {
                    let mut rounds = rounds.lock().unwrap();
                    *rounds += 1;
                    *rounds
                };
                let all = many(30, number);
                let last = all[30 - rows..].iter().cloned().collect();
                direct.export(last).await.unwrap();
            }
            Ok(None)
        }
    });
    let exported = sink(Arc::new(racing)).export(many(30, 1_000)).await;
    exported.map_err(|error| error.to_string())
}

#[tokio::test]
async fn waits_only_after_attempts_without_progress() {
    assert_eq!(export_while_others_write(1).await, Ok(Exported::All));
    let message =
        "the exporter failed: the sequences of these rows changed during each of 20 attempts";
    assert_eq!(export_while_others_write(0).await, Err(message.to_owned()));
}
