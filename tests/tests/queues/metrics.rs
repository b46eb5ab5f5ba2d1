//! The metrics of queues.

use std::collections::BTreeMap;

use fluo_engine::Column;
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};
use fluo_recipes::stored_queue::StoredQueue;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

use crate::fixture::{App, declared};

/// Returns the values of all metrics of queues that some work records, by name and queue.
pub(crate) fn recorded(work: impl Future<Output = ()>) -> BTreeMap<(String, String), u64> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    // One thread, so that the recorder receives everything.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    metrics::with_local_recorder(&recorder, || runtime.block_on(work));
    let all = snapshotter.snapshot().into_vec().into_iter();
    all.filter_map(|(key, _, _, value)| {
        let label = key.key().labels().find(|label| label.key() == "queue")?;
        let value = match value {
            DebugValue::Counter(value) => value,
            DebugValue::Gauge(value) if value.is_nan() => return None,
            DebugValue::Gauge(value) => value.0.trunc().to_string().parse().unwrap(),
            DebugValue::Histogram(_) => panic!("no queue has a histogram"),
        };
        let name = key.key().name().to_owned();
        Some(((name, label.value().to_owned()), value))
    })
    .collect()
}

async fn read_backlogs(app: &App) {
    let snapshot = app.client.snapshot().await.unwrap();
    for queue in StoredQueue::all(&app.client.application().settings).unwrap() {
        queue.backlog(&snapshot).await.unwrap();
    }
}

#[test]
fn counts_processed_entries_and_dead_letters() {
    let metrics = recorded(async {
        let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
        let words = words.buckets(1).unwrap();
        let pages = ExportQueue::<String, u64>::new("pages").unwrap();
        let pages = pages.buckets(1).unwrap();
        let but_the_last = |exports: Exports<String, u64>| {
            let last = exports.len() - 1;
            let rejected = vec![(last, "closed".to_owned())];
            let answer = Exported::all_but(exports.len(), rejected);
            std::future::ready(Ok::<_, ExportError>(answer))
        };
        let pages = pages.export_to(but_the_last);
        let app = App::start_after(&[&words, &pages], async |client| {
            let damaged = &b"wc:u:0:bad\0\0\0\0\0\0\0\x01"[..];
            client
                .run(async |tx| {
                    tx.set(damaged, &Column::new("u", "v"), "many")?;
                    words.extend(&tx, [("cat", 1), ("fish", 2)])?;
                    ["a", "b", "c", "d"].into_iter().try_for_each(|page| pages.add(&tx, page, 7))
                })
                .await
        })
        .await;
        app.settle().await;
        // A reading alone sets no gauges: it may be that of an operator.
        read_backlogs(&app).await;
    });
    let wanted = [
        ("fluo_queue_dead_letters_total", "pages", 1),
        ("fluo_queue_dead_letters_total", "wc", 1),
        ("fluo_queue_processed_total", "pages", 4),
        ("fluo_queue_processed_total", "wc", 3),
    ];
    let wanted = wanted.map(|(name, queue, value)| ((name.to_owned(), queue.to_owned()), value));
    assert_eq!(metrics, wanted.into());
}

#[test]
fn shows_the_backlog_of_the_gauges() {
    let mut oldest = 0;
    let begun = std::time::Instant::now();
    let mut metrics = recorded(async {
        let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
        let client = declared(&[&words]).create().await.unwrap();
        for _ in 0..2 {
            let tx = client.begin().await.unwrap();
            words.extend(&tx, [("cat", 1), ("fish", 2)]).unwrap();
            let start = tx.start().get();
            oldest = if oldest == 0 { start } else { oldest };
            tx.commit().await.unwrap();
        }
        let [stored] = &StoredQueue::all(&client.application().settings).unwrap()[..] else {
            panic!("there is one queue");
        };
        let backlog = stored.backlog(&client.snapshot().await.unwrap()).await.unwrap();
        stored.set_gauges(&backlog);
    });
    let age = "fluo_queue_oldest_entry_age_seconds".to_owned();
    let age = metrics.remove(&(age, "wc".to_owned())).unwrap();
    assert!(age <= begun.elapsed().as_secs(), "{age}");
    let wanted = [
        ("fluo_queue_oldest_entry_timestamp", oldest),
        // A row, such as `wc:u:35:cat` and a sequence, and a digit.
        ("fluo_queue_waiting_bytes", 2 * (11 + 8 + 1) + 2 * (12 + 8 + 1)),
        ("fluo_queue_waiting_entries", 4),
    ];
    let wanted = wanted.map(|(name, value)| ((name.to_owned(), "wc".to_owned()), value));
    assert_eq!(metrics, wanted.into());
}

#[test]
fn a_process_that_reads_no_backlog_any_more_has_no_gauges() {
    let recorded_after = |ends: bool| {
        recorded(async {
            let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
            let client = declared(&[&words]).create().await.unwrap();
            for stored in StoredQueue::all(&client.application().settings).unwrap() {
                let snapshot = client.snapshot().await.unwrap();
                stored.set_gauges(&stored.backlog(&snapshot).await.unwrap());
                if ends {
                    stored.clear_gauges();
                }
            }
        })
    };
    assert_eq!(recorded_after(false).len(), 4);
    assert!(recorded_after(true).is_empty());
}
