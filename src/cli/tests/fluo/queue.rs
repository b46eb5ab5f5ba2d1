//! `fluo queue`: the queues of an application, their backlog and their dead letters.

use crate::command::{Place, assert_says};
use fluo_engine::{InstanceExt, Observers, Transaction};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};

fn words() -> CombineQueue<String, u8> {
    let words = CombineQueue::new("wc", Sum).unwrap();
    words.buckets(1).unwrap()
}

/// Opens the application in the directory, creates it first if it does not exist, and updates it.
pub(crate) async fn update(place: &Place, updates: &[(&str, u8)], runs_worker: bool) {
    let words = words();
    let fluo = fluo_embedded::open(place.path("d")).unwrap();
    let web = fluo.application("web").recipe(&words);
    let client = web.open_or_create().await.unwrap();
    for (key, number) in updates {
        let add = async |tx: Transaction| words.add(&tx, *key, *number);
        client.run(add).await.unwrap();
    }
    if runs_worker {
        let worker = client.worker().start().await.unwrap();
        client.wait_until_idle().await.unwrap();
        worker.stop().await;
    }
}

/// A program with two buckets fills a queue that has one.
#[tokio::test]
async fn warns_of_entries_that_no_worker_processes() {
    let place = Place::new();
    update(&place, &[], false).await;
    {
        let words = words().buckets(20).unwrap();
        let fluo = fluo_embedded::open(place.path("d")).unwrap();
        let one = Observers::new().recipe(&self::words()).unwrap();
        let web = fluo.application("web").observers(&one);
        let client = web.open().await.unwrap();
        let add = async |tx: Transaction| words.add(&tx, "cat", 1);
        client.run(add).await.unwrap();
        let worker = client.worker().max_attempts(1.try_into().unwrap()).start().await.unwrap();
        client.wait_until_idle().await.unwrap();
        worker.stop().await;
    }
    let list = place.runs("queue list --at embedded:d web");
    assert!(list.text().starts_with("wc\tcombine\t1\t1\t"), "{}", list.text());
    let warnings = "warning: queue `wc`: no worker processes 1 entry, which a program with another number than \
                    1 bucket has added\nwarning: queue `wc`: no worker processes 1 bucket, whose observer failed too \
                    often; `fluo notifications retry` tries again\n";
    assert_eq!(list.stderr, format!("{warnings}1 queue\n"));
    let show = place.runs("queue show --at embedded:d web wc");
    assert_eq!(show.stderr, format!("{warnings}entries wait in 0 of 1 bucket\n"));
}

/// Covers a bug: `discard --all` deleted all dead letters without a question.
#[cfg(unix)]
#[tokio::test]
async fn asks_before_all_dead_letters_are_discarded() {
    let place = Place::new();
    for _ in 0..2 {
        update(&place, &[("cat", 200)], true).await;
    }
    for (answer, code, told) in [
        ("web\r", 2, "error: the dead letters of queue `wc` were not discarded"),
        ("wc\r", 0, "discarded 1 dead letter"),
    ] {
        let session = place.at_terminal("queue discard --at embedded:d web wc --all", &[]);
        session.waits_for("discard all dead letters of queue `wc`? type its name to confirm:");
        session.types(answer);
        let (found, shown) = session.ended();
        assert_eq!(found, Some(code), "{shown}");
        assert_says(&shown, told);
    }
}

#[tokio::test]
async fn requeues_letters_that_are_larger_than_a_transaction() {
    let place = Place::new();
    let exports = ExportQueue::<String, String>::new("eq").unwrap().buckets(1).unwrap();
    {
        let fluo = fluo_embedded::open(place.path("d")).unwrap();
        let exporter = async |exports: Exports<String, String>| {
            let reject = |index| (index, "closed".to_owned());
            let rejected = (0..exports.len()).map(reject).collect();
            Ok::<_, ExportError>(Exported::all_but(exports.len(), rejected))
        };
        let exports = exports.export_to(exporter);
        let web = fluo.application("web").recipe(&exports);
        let client = web.create().await.unwrap();
        let value = "x".repeat(12 << 20);
        for _ in 0..6 {
            let add = async |tx: Transaction| exports.add(&tx, "", value.clone());
            client.run(add).await.unwrap();
        }
        let worker = client.worker().start().await.unwrap();
        client.wait_until_idle().await.unwrap();
        worker.stop().await;
    }
    let retry = place.with(["queue", "retry", "--at", "embedded:d", "web", "eq", ""]).succeeds();
    assert_eq!(retry.stderr, "requeued 6 dead letters\n");
}

#[tokio::test]
async fn changes_the_number_of_buckets() {
    let place = Place::new();
    update(&place, &[("cat", 1), ("dog", 2), ("a:b", 3)], true).await;
    update(&place, &[("cat", 1)], false).await;
    let waiting = place.fails("app rebucket --at embedded:d web wc --buckets 119");
    let expected = "the combine queue `wc` is not empty: it has the row `wc:u:0:cat";
    assert!(waiting.starts_with(expected), "{waiting}");
    update(&place, &[], true).await;
    let rebucket = "app rebucket --at embedded:d web wc --buckets 119";
    let changed = place.runs(rebucket);
    let expected = "queue `wc` has 119 buckets; 3 values moved\n`fluo app plan --at embedded:d web` shows the new split points\n";
    assert_eq!(changed.stderr, expected);
    let again = place.runs(rebucket);
    assert!(again.stderr.starts_with("queue `wc` has 119 buckets; 0 values moved\n"));

    let words = words().buckets(119).unwrap();
    let fluo = fluo_embedded::open(place.path("d")).unwrap();
    let web = fluo.application("web").recipe(&words);
    let client = web.open().await.unwrap();
    let snapshot = client.snapshot().await.unwrap();
    let values = words.get_many(&snapshot, ["cat", "dog", "a:b"]).await.unwrap();
    assert_eq!(values, [Some(2), Some(2), Some(3)]);
}
