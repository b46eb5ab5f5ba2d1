//! A combine queue: values, changes and stored cells.

use std::sync::{Arc, Mutex};

use fluo_engine::{Client, ClientOptions, Column, Result, Span, Transaction};
use fluo_recipes::combine_queue::{Change, CombineQueue, Sum};
use fluo_table::Scan;
use fluo_tests::STUCK;
use futures::TryStreamExt;
use tokio::time::timeout;

use crate::fixture::{App, declared};

type Words = CombineQueue<String, i64>;

/// The changes of each pass.
type Changes<V> = Arc<Mutex<Vec<Vec<Change<String, V>>>>>;

fn words(buckets: u32) -> Words {
    Words::new("wc", Sum).unwrap().buckets(buckets).unwrap()
}

/// Returns the queue with an observer that keeps the changes.
fn observed<V: Send + 'static>(
    queue: &CombineQueue<String, V>,
) -> (CombineQueue<String, V>, Changes<V>) {
    let changes = Changes::default();
    let keep = changes.clone();
    let observer = move |_: Transaction, changed: Vec<Change<String, V>>| {
        keep.lock().unwrap().push(changed);
        std::future::ready(Result::<()>::Ok(()))
    };
    (queue.clone().on_changes(observer), changes)
}

/// Returns the number of changes of each pass, and forgets them.
fn sizes<V>(changes: &Changes<V>) -> Vec<usize> {
    changes.lock().unwrap().drain(..).map(|pass| pass.len()).collect()
}

async fn start(words: &Words) -> (App, Changes<i64>) {
    let (words, changes) = observed(words);
    (App::start(&[&words]).await, changes)
}

async fn add(app: &App, words: &Words, updates: &[(&str, i64)]) {
    let add = async |tx: Transaction| words.extend(&tx, updates.iter().copied());
    app.client.run(add).await.unwrap();
}

async fn values<const N: usize>(app: &App, words: &Words, keys: [&str; N]) -> Vec<Option<i64>> {
    let snapshot = app.client.snapshot().await.unwrap();
    words.get_many(&snapshot, keys).await.unwrap()
}

/// The trace of a queue with three buckets: its cells after each step, and its changes.
#[tokio::test]
async fn stores_the_cells_of_fluo_recipes() {
    let words = words(3);
    let (app, changes) = start(&words).await;
    add(&app, &words, &[("cat", 2), ("dog", 5), ("fish", 1)]).await;
    app.settle().await;
    let current = |row: &str, value| format!("wc:d:{row} data:current {value}");
    assert_eq!(
        app.cells("wc:").await,
        [current("0:dog", 5), current("1:cat", 2), current("2:fish", 1)]
    );
    add(&app, &words, &[("cat", -2), ("dog", 1), ("fish", 0)]).await;
    app.settle().await;
    assert_eq!(app.cells("wc:").await, [current("0:dog", 6), current("2:fish", 1)]);
    let mut changes = std::mem::take(&mut *changes.lock().unwrap()).concat();
    changes.sort_by(|one, other| (&one.key, one.old).cmp(&(&other.key, other.old)));
    let change = |key: &str, old, new| Change { key: key.to_owned(), old, new };
    assert_eq!(
        changes,
        [
            change("cat", None, Some(2)),
            change("cat", Some(2), None),
            change("dog", None, Some(5)),
            change("dog", Some(5), Some(6)),
            change("fish", None, Some(1)),
        ]
    );
}

#[tokio::test]
async fn reads_the_same_before_and_after_the_observer() {
    let words = words(17);
    let client = declared(&[&words]).create().await.unwrap();
    let keys = ["cat", "dog", "fish"];
    let steps: [&[(&str, i64)]; 4] = [
        &[("cat", 2), ("dog", 5)],
        &[("cat", 1), ("dog", 1)],
        &[("cat", 1), ("dog", 1), ("fish", 2)],
        &[("cat", 1), ("dog", -7)],
    ];
    let mut expected = Vec::new();
    for (step, values) in steps.iter().zip([
        [Some(2), Some(5), None],
        [Some(3), Some(6), None],
        [Some(4), Some(7), Some(2)],
        [Some(5), None, Some(2)],
    ]) {
        client.run(async |tx| words.extend(&tx, step.iter().copied())).await.unwrap();
        let snapshot = client.snapshot().await.unwrap();
        assert_eq!(words.get_many(&snapshot, keys).await.unwrap(), values);
        expected = values.to_vec();
    }
    let listed = async || -> Vec<(String, i64)> {
        let snapshot = client.snapshot().await.unwrap();
        let mut all: Vec<_> = words.iter(&snapshot).try_collect().await.unwrap();
        all.sort();
        all
    };
    let before = listed().await;
    assert_eq!(before, [("cat".to_owned(), 5), ("fish".to_owned(), 2)]);
    let worker = client.worker().start().await.unwrap();
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
    let snapshot = client.snapshot().await.unwrap();
    assert_eq!(words.get_many(&snapshot, keys).await.unwrap(), expected);
    assert_eq!(listed().await, before);
    let more = [("cat", 1), ("fish", -2)];
    client.run(async |tx| words.extend(&tx, more)).await.unwrap();
    let snapshot = client.snapshot().await.unwrap();
    let values = words.get_many(&snapshot, keys).await.unwrap();
    assert_eq!(values, [Some(6), None, None]);
    assert_eq!(listed().await, [("cat".to_owned(), 6)]);
}

/// Java's queue merges these keys, which have the same hash code, into one.
#[tokio::test]
async fn keeps_keys_with_equal_hashes_apart() {
    let words = words(1);
    let (app, _) = start(&words).await;
    add(&app, &words, &[("Aa", 1), ("BB", 10)]).await;
    app.settle().await;
    let rows = app.cells("wc:").await;
    assert_eq!(rows, ["wc:d:0:Aa data:current 1", "wc:d:0:BB data:current 10"]);
}

/// With room for one update, Java's queue requeues the update of a hot key without end.
#[tokio::test]
async fn combines_a_hot_key_although_one_update_fills_the_buffer() {
    let words = words(1).buffer_bytes(1);
    let (words, changes) = observed(&words);
    let app = App::start_after(&[&words], async |client| {
        for _ in 0..30 {
            client.run(async |tx| words.add(&tx, "hot", 1)).await?;
        }
        Ok(())
    })
    .await;
    timeout(STUCK, app.settle()).await.expect("each pass leaves fewer updates");
    add(&app, &words, &[("hot", 2)]).await;
    app.settle().await;
    assert_eq!(app.cells("wc:").await, ["wc:d:0:hot data:current 32"]);
    // Each old value is the new value before it.
    let mut last = None;
    for change in changes.lock().unwrap().iter().flatten() {
        assert_eq!(change.old, last);
        last = change.new;
    }
    assert_eq!(last, Some(32));
}

/// A pass has room for two updates, whose sum the type cannot hold, while the sum with the current
/// value and the other updates fits.
#[tokio::test]
async fn keeps_updates_whose_partial_sum_does_not_fit() {
    type Small = CombineQueue<String, i8>;
    for (first, updates, sum) in [
        (-100, vec![66, 66, 66], 98),
        (100, vec![66, 66, 66, -100, -100], 98),
        (100, vec![66, -100, 66, -100], 32),
    ] {
        let small = Small::new("wc", Sum).unwrap().buckets(1).unwrap();
        let small = small.buffer_bytes(1);
        let app = App::start(&[&small]).await;
        let add = async |client: &Client, update| {
            let add = client.run(async |tx: Transaction| small.add(&tx, "k", update));
            add.await.unwrap();
        };
        add(&app.client, first).await;
        app.settle().await;
        let handle = app.handle.clone();
        app.stop().await;
        let client = handle.open().await.unwrap();
        for update in updates {
            add(&client, update).await;
        }
        let worker = client.worker().start().await;
        client.wait_until_idle().await.unwrap();
        worker.unwrap().stop().await;
        let snapshot = client.snapshot().await.unwrap();
        let cells: Vec<_> =
            snapshot.scan(Scan::over(Span::prefix("wc"))).try_concat().await.unwrap();
        let [cell] = &cells[..] else { panic!("no dead letter, and no update is left: {cells:?}") };
        assert_eq!(cell.value, sum.to_string());
    }
}

/// An earlier pass has left a position, and an update before it was added since.
#[tokio::test]
async fn combines_updates_before_the_position() {
    let words = words(1);
    let (app, _) = start(&words).await;
    let next = Column::new("u", "next");
    app.client
        .run(async |tx: Transaction| {
            tx.set("wc:u:0:", &next, "m")?;
            words.extend(&tx, [("cat", 1), ("zebra", 2)])
        })
        .await
        .unwrap();
    app.settle().await;
    assert_eq!(
        app.cells("wc:").await,
        ["wc:d:0:cat data:current 1", "wc:d:0:zebra data:current 2"]
    );
}

/// Thirteen transactions update 1,000 keys each, through a buffer of 1,024 bytes.
#[tokio::test]
async fn processes_large_transactions_in_small_passes() {
    let words = words(2).buffer_bytes(1_024);
    let (app, changes) = start(&words).await;
    let keys: Vec<String> = (0..1_000).map(|key| format!("{key:06}")).collect();
    let updates: Vec<(&str, i64)> = keys.iter().map(|key| (key.as_str(), 1)).collect();
    let mut done = 0;
    for total in [1, 3, 13] {
        for _ in done..total {
            add(&app, &words, &updates).await;
        }
        done = total;
        app.settle().await;
        let cells = app.cells("wc:").await;
        assert_eq!(cells.len(), 1_000);
        assert!(cells.iter().all(|cell| cell.ends_with(&format!(" data:current {total}"))));
    }
    // The row of an update has 21 bytes and its value one, so a pass has at most 47 of them.
    let passes = sizes(&changes);
    assert!(passes.iter().all(|changes| (1..=47).contains(changes)), "{passes:?}");
    assert!(passes.len() >= 3 * 1_000 / 47, "{passes:?}");
}

/// Small updates change values that together are larger than a transaction may be.
#[tokio::test]
async fn ends_a_pass_before_its_values_fill_the_transaction() {
    const KEYS: usize = 40;
    let append = |_: &String, current: Option<String>, updates: Vec<String>| {
        Some(current.unwrap_or_default() + &updates.concat())
    };
    let texts = CombineQueue::<String, String>::new("tx", append).unwrap().buckets(1).unwrap();
    let (texts, changes) = observed(&texts);
    let options = ClientOptions::new().max_transaction_bytes(1 << 20);
    let app = App::start_with(options, &[&texts], async |client| {
        for key in 0..KEYS {
            let value = "x".repeat(100_000);
            client.run(async |tx| texts.add(&tx, format!("{key:02}"), value.clone())).await?;
        }
        Ok(())
    })
    .await;
    app.settle().await;
    changes.lock().unwrap().clear();
    let letters = (0..KEYS).map(|key| (format!("{key:02}"), "y".to_owned()));
    let add = async |tx: Transaction| texts.extend(&tx, letters.clone());
    app.client.run(add).await.unwrap();
    timeout(STUCK, app.settle()).await.expect("each pass combines a key");
    let sizes = sizes(&changes);
    assert_eq!(sizes.iter().sum::<usize>(), KEYS, "{sizes:?}");
    assert!(sizes.iter().all(|size| (1..=6).contains(size)), "half of 1 MiB: {sizes:?}");
    let snapshot = app.client.snapshot().await.unwrap();
    let all: Vec<_> = texts.iter(&snapshot).try_collect().await.unwrap();
    assert_eq!(all.len(), KEYS);
    assert!(all.iter().all(|(_, text)| text.len() == 100_001 && text.ends_with('y')));
}

/// A transaction that adds a key twice is rejected in Java.
#[tokio::test]
async fn combines_the_updates_of_a_batch() {
    let words = words(7);
    let (app, _) = start(&words).await;
    add(&app, &words, &[("cat", 1), ("dog", 1), ("cat", 4), ("dog", -1)]).await;
    assert_eq!(values(&app, &words, ["cat", "dog"]).await, [Some(5), None]);
    let twice = app.client.run(async |tx| {
        words.add(&tx, "cat", 1)?;
        words.add(&tx, "cat", 1)
    });
    let message = twice.await.unwrap_err().to_string();
    assert!(message.contains("a transaction writes a cell once"), "{message}");
}

/// A combiner that is no sum: it keeps the last text and its predecessor.
#[tokio::test]
async fn applies_updates_in_order_if_the_combiner_promises_nothing() {
    let append = |_: &String, current: Option<String>, updates: Vec<String>| {
        Some(current.unwrap_or_default() + &updates.concat())
    };
    let texts = CombineQueue::<String, String>::new("tx", append).unwrap().buffer_bytes(1);
    let app = App::start(&[&texts]).await;
    for letter in "abcdefgh".chars() {
        app.client.run(async |tx| texts.add(&tx, "key", letter.to_string())).await.unwrap();
    }
    app.settle().await;
    let snapshot = app.client.snapshot().await.unwrap();
    assert_eq!(texts.get(&snapshot, "key").await.unwrap().as_deref(), Some("abcdefgh"));
    let batch = app
        .client
        .run(async |tx| texts.extend(&tx, [("a", "1".to_owned()), ("a", "2".to_owned())]));
    assert_eq!(
        batch.await.unwrap_err().to_string(),
        "combine queue `tx`: several updates of one key cannot be added: its combiner does not promise that updates may \
         be combined in any order"
    );
}

#[tokio::test]
async fn keeps_an_empty_key_and_keys_of_64_kib() {
    let words = words(1).buffer_bytes(100);
    let (app, _) = start(&words).await;
    let long = "x".repeat(65_536);
    let longer = format!("{long}\0");
    for _ in 0..3 {
        add(&app, &words, &[("", 1), (&long, 10), (&longer, 100)]).await;
    }
    let expected = [Some(3), Some(30), Some(300)];
    assert_eq!(values(&app, &words, ["", &long, &longer]).await, expected);
    app.settle().await;
    assert_eq!(values(&app, &words, ["", &long, &longer]).await, expected);
    assert_eq!(app.cells("wc:").await.len(), 3);
}
