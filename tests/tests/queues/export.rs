//! An export queue: delivery, acknowledgement, retries.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_engine::Timestamp;
use fluo_recipes::export_queue::{Export, ExportError, ExportQueue, Exported, Exports};

use crate::fixture::App;

type Texts = ExportQueue<String, String>;

fn texts(buckets: u32) -> Texts {
    Texts::new("eq").unwrap().buckets(buckets).unwrap()
}

/// A receiver that applies an entry if its sequence is larger than the last one of the key.
#[derive(Clone, Default)]
struct Receiver {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    calls: usize,
    /// The values in the order of their delivery, without immediate repetitions.
    delivered: Vec<String>,
    values: BTreeMap<String, (Timestamp, String)>,
}

impl Receiver {
    fn apply(&self, exports: &[Export<String, String>]) {
        let mut state = self.state.lock().unwrap();
        state.calls += 1;
        state.delivered.extend(exports.iter().map(|export| export.value.clone()));
        state.delivered.dedup();
        let mut last: BTreeMap<&str, Timestamp> = BTreeMap::new();
        for export in exports {
            let before = last.insert(&export.key, export.sequence);
            assert!(before < Some(export.sequence), "the order of {}", export.key);
            let applied = state.values.get(&export.key);
            if applied.is_none_or(|(sequence, _)| *sequence < export.sequence) {
                let value = (export.sequence, export.value.clone());
                state.values.insert(export.key.clone(), value);
            }
        }
    }

    fn value(&self, key: &str) -> Option<String> {
        let state = self.state.lock().unwrap();
        state.values.get(key).map(|(_, value)| value.clone())
    }
}

/// Returns the queue with an exporter that applies the entries that its answer acknowledges.
fn observed(
    queue: &Texts,
    answer: impl Fn(usize) -> Result<Exported, ExportError> + Send + Sync + 'static,
) -> (Texts, Receiver) {
    let receiver = Receiver::default();
    let keep = receiver.clone();
    let exporter = move |exports: Exports<String, String>| {
        let answer = answer(exports.len());
        let count = match &answer {
            Ok(Exported::UpTo(count) | Exported::DeadLetters { up_to: count, .. }) => *count,
            Ok(Exported::All) => exports.len(),
            Err(_) => 0,
        };
        keep.apply(&exports[..count]);
        std::future::ready(answer)
    };
    (queue.clone().export_to(exporter), receiver)
}

async fn start(
    queue: &Texts,
    answer: impl Fn(usize) -> Result<Exported, ExportError> + Send + Sync + 'static,
) -> (App, Receiver) {
    let (queue, receiver) = observed(queue, answer);
    (App::start(&[&queue]).await, receiver)
}

#[tokio::test]
async fn exports_all_entries_in_many_small_passes() {
    let queue = texts(2).buffer_bytes(1_024);
    let (app, receiver) = start(&queue, |_| Ok(Exported::All)).await;
    for round in ["first", "second"] {
        let entries = (0..1_000).map(|key| (format!("{key:06}"), round.to_owned()));
        let entries: Vec<_> = entries.collect();
        app.client.run(async |tx| queue.extend(&tx, entries.clone())).await.unwrap();
        app.settle().await;
        assert_eq!(receiver.value("000999").as_deref(), Some(round));
    }
    let state = std::mem::take(&mut *receiver.state.lock().unwrap());
    assert!(state.calls > 20, "{}", state.calls);
    assert!(state.values.values().all(|(_, value)| value == "second"));
    assert_eq!(app.cells("eq").await, [""; 0], "nothing is left");
}

#[tokio::test]
async fn delivers_the_entries_of_a_key_in_their_order() {
    let queue = texts(1);
    let (queue, receiver) = observed(&queue, |_| Ok(Exported::UpTo(1)));
    let app = App::start_after(&[&queue], async |client| {
        for number in 0..20 {
            let add = async |tx| queue.add(&tx, "key", number.to_string());
            client.run(add).await?;
        }
        Ok(())
    })
    .await;
    app.settle().await;
    let expected: Vec<_> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(receiver.state.lock().unwrap().delivered, expected);
}

/// A receiver that is away for an hour loses nothing, and its bucket becomes no dead letter.
#[tokio::test(start_paused = true)]
async fn waits_for_a_receiver_that_is_away() {
    let queue = texts(1);
    let begin = tokio::time::Instant::now();
    let hour = Duration::from_secs(3_600);
    let (app, receiver) = start(&queue, move |_| match begin.elapsed() < hour {
        true => Err(ExportError::retry_after(Duration::from_secs(30), "connection refused")),
        false => Ok(Exported::All),
    })
    .await;
    app.client.run(async |tx| queue.add(&tx, "key", "value".to_owned())).await.unwrap();
    app.settle().await;
    assert_eq!(receiver.value("key").as_deref(), Some("value"));
    let waited = begin.elapsed();
    assert!(waited >= hour && waited < hour + Duration::from_secs(60), "{waited:?}");
    assert_eq!(app.client.failed_notifications().await.unwrap().len(), 0);
}

/// An exporter that always fails, on one entry or on several: the entries stay, and the
/// notification becomes a dead letter of the application.
#[tokio::test(start_paused = true)]
async fn keeps_the_entries_of_an_exporter_that_fails() {
    for (acknowledges_none, entries) in [(false, 1), (true, 1), (false, 5), (true, 5)] {
        let queue = texts(1);
        let (app, _) = start(&queue, move |_| match acknowledges_none {
            true => Ok(Exported::UpTo(0)),
            false => Err(ExportError::fatal("the table is gone")),
        })
        .await;
        app.client
            .run(async |tx| {
                let mut keys = (0..entries).map(|key| format!("key{key}"));
                keys.try_for_each(|key| queue.add(&tx, key, "value".to_owned()))
            })
            .await
            .unwrap();
        app.settle().await;
        let failed = app.client.failed_notifications().await.unwrap();
        assert_eq!(failed.len(), 1);
        let expected = match acknowledges_none {
            true => {
                "the exporter has acknowledged no entry; it should return `ExportError::retry_after`"
            }
            false => "the exporter failed: the table is gone",
        };
        assert_eq!(failed[0].error, expected);
        assert_eq!(app.cells("eq:").await.len(), entries);
        assert_eq!(app.cells("eq!dead").await, [""; 0]);
    }
}

/// An exporter that always fails on one entry, in each of the ways in which it can.
#[derive(Clone, Copy, Debug)]
enum Failure {
    Fatal,
    NothingAcknowledged,
    Panic,
}

/// In the last try the exporter gets smaller parts, until the entry is alone.
#[tokio::test(start_paused = true)]
async fn finds_the_entry_on_which_an_exporter_always_fails() {
    for (failure, error) in [
        (Failure::Fatal, "the exporter failed: no such account"),
        (
            Failure::NothingAcknowledged,
            "the exporter has acknowledged no entry; it should return `ExportError::retry_after`",
        ),
        (Failure::Panic, "the exporter panicked; its log has the message"),
    ] {
        let queue = texts(1);
        let receiver = Receiver::default();
        let (sizes, to) = (Arc::<Mutex<Vec<usize>>>::default(), receiver.clone());
        let seen = sizes.clone();
        let exporter = move |exports: Exports<String, String>| {
            seen.lock().unwrap().push(exports.len());
            let fails = exports.iter().any(|export| export.value == "d1");
            if !fails {
                to.apply(&exports);
            }
            async move {
                match (fails, failure) {
                    (false, _) => Ok(Exported::All),
                    (true, Failure::Fatal) => Err(ExportError::fatal("no such account")),
                    (true, Failure::NothingAcknowledged) => Ok(Exported::UpTo(0)),
                    (true, Failure::Panic) => panic!("no such account"),
                }
            }
        };
        let queue = queue.export_to(exporter);
        let app = App::start_after(&[&queue], async |client| {
            for values in [1, 2] {
                let add = async |tx| {
                    let keys = ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter();
                    keys.clone().try_for_each(|key| queue.add(&tx, key, format!("{key}{values}")))
                };
                client.run(add).await?;
            }
            Ok(())
        })
        .await;
        app.settle().await;
        // The default of `WorkerOptions::max_attempts`.
        let tries = 10;
        let sizes = std::mem::take(&mut *sizes.lock().unwrap());
        let halves = [16, 8, 4, 4, 2, 2, 1];
        assert_eq!(sizes[..tries - 1], vec![16; tries - 1], "{failure:?}");
        assert_eq!(sizes[tries - 1..], [&halves[..], &[9]].concat(), "{failure:?}");
        let delivered = receiver.state.lock().unwrap().delivered.join(" ");
        assert_eq!(
            delivered, "a1 a2 b1 b2 c1 c2 d2 e1 e2 f1 f2 g1 g2 h1 h2",
            "in the order of the keys, and those of a key in their order"
        );
        assert_eq!(app.client.failed_notifications().await.unwrap(), []);
        assert_eq!(app.cells("eq:").await, [""; 0]);
        let letters = app.cells("eq!dead").await;
        assert_eq!(letters.len(), 2, "{letters:?}");
        assert!(letters[0].ends_with(&format!("dead:error {error}")), "{letters:?}");
        assert!(letters[1].ends_with(" d1"), "{letters:?}");
    }
}

#[tokio::test]
async fn moves_rejected_entries_to_the_dead_letters() {
    for up_to in [2, 3] {
        let queue = texts(1);
        let (app, receiver) = start(&queue, move |entries| match entries {
            3 => Ok(Exported::DeadLetters {
                up_to,
                rejected: vec![(1, "no such account".to_owned())],
            }),
            _ => Ok(Exported::All),
        })
        .await;
        let entries = ["a", "b", "c"].map(|key| (key, format!("value of {key}")));
        app.client.run(async |tx| queue.extend(&tx, entries.clone())).await.unwrap();
        app.settle().await;
        let cells = app.cells("eq").await;
        assert_eq!(cells.len(), 2, "{cells:?}");
        assert!(
            cells[0].starts_with("eq!dead:0:b\\x00")
                && cells[0].ends_with("dead:error no such account"),
            "{cells:?}"
        );
        assert!(cells[1].ends_with("e:v value of b"), "{cells:?}");
        assert_eq!(receiver.value("c").as_deref(), Some("value of c"));
    }
}
