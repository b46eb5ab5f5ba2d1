//! Queues as an operator sees them: backlog, dead letters, requeueing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fluo_engine::Transaction;
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};
use fluo_recipes::stored_queue::{Accuracy, QueueKind, StoredQueue};
use futures::TryStreamExt;

use crate::fixture::{App, declared};

#[tokio::test]
async fn counts_the_entries_of_each_bucket() {
    let queue = CombineQueue::<String, u64>::new("wc", Sum).unwrap().buckets(3).unwrap();
    let client = declared(&[&queue]).create().await.unwrap();
    for words in [["cat", "fish"], ["cat", "a"]] {
        client.run(async |tx| queue.extend(&tx, words.map(|word| (word, 1)))).await.unwrap();
    }
    let [stored] = &StoredQueue::all(&client.application().settings).unwrap()[..] else {
        panic!("there is one queue");
    };
    assert_eq!((stored.id(), stored.kind(), stored.buckets()), ("wc", QueueKind::Combine, 3));
    let snapshot = client.snapshot().await.unwrap();
    let backlog = stored.backlog(&snapshot).await.unwrap();
    let found: Vec<_> =
        backlog.buckets.iter().map(|bucket| (bucket.bucket.as_str(), bucket.entries)).collect();
    assert_eq!(found, [("1", 2), ("2", 2)]);
    assert_eq!((backlog.entries, backlog.accuracy), (4, Accuracy::Exact));
    assert_eq!(
        (backlog.bytes, backlog.large_buckets),
        (backlog.buckets[0].bytes + backlog.buckets[1].bytes, 0)
    );
    // `wc:u:1:cat`, a sequence and one digit, twice.
    assert_eq!(backlog.buckets[0].bytes, 2 * (10 + 8 + 1));
    assert_eq!(backlog.buckets[0].oldest, backlog.buckets[1].oldest);
    assert_eq!(backlog.oldest, Some(backlog.buckets[0].oldest));
    let letters: Vec<_> = stored.dead_letters(&snapshot).try_collect().await.unwrap();
    assert_eq!(letters, []);
}

#[tokio::test]
async fn requeues_and_discards_dead_letters() {
    let queue = ExportQueue::<String, u64>::new("eq").unwrap().buckets(16).unwrap();
    let accepts = Arc::new(AtomicBool::new(false));
    let is_open = accepts.clone();
    let exporter = move |exports: Exports<String, u64>| {
        let reject = |index| (index, "closed".to_owned());
        let answer = match is_open.load(Ordering::SeqCst) {
            true => Exported::All,
            false => {
                let all = 0..exports.len();
                Exported::all_but(exports.len(), all.map(reject).collect())
            }
        };
        std::future::ready(Ok::<_, ExportError>(answer))
    };
    let queue = queue.export_to(exporter);
    let app = App::start(&[&queue]).await;
    let entries = [("a", 1), ("b", 2), ("c", 3)];
    app.client.run(async |tx| queue.extend(&tx, entries)).await.unwrap();
    app.settle().await;

    let stored = StoredQueue::all(&app.client.application().settings).unwrap().remove(0);
    let letters = async || -> Vec<_> {
        let snapshot = app.client.snapshot().await.unwrap();
        stored.dead_letters(&snapshot).try_collect().await.unwrap()
    };
    let all = letters().await;
    let [first, second, third] = &all[..] else {
        panic!("three dead letters: {all:?}");
    };
    assert_eq!((first.error.as_str(), first.sequence), ("closed", third.sequence));
    let requeue = async |letter| {
        app.client.run(async |tx: Transaction| stored.requeue(&tx, letter).await).await
    };
    let discard = async |letter| {
        app.client.run(async |tx: Transaction| stored.discard(&tx, letter).await).await
    };
    assert!(discard(first).await.unwrap());
    assert!(!discard(first).await.unwrap(), "it exists no longer");
    assert!(!requeue(first).await.unwrap(), "it exists no longer");
    assert!(requeue(second).await.unwrap());
    app.settle().await;
    assert_eq!(letters().await, [second.clone(), third.clone()], "it was rejected again");
    accepts.store(true, Ordering::SeqCst);
    for letter in [second, third] {
        assert!(requeue(letter).await.unwrap());
    }
    app.settle().await;
    assert_eq!(app.cells("eq").await, [""; 0]);
}
