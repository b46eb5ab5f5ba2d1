//! The queues of Apache Fluo Recipes: entries of one side are processed by the other one.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use fluo_engine::{Client, InstanceExt, Observers, Transaction, observer_fn};
use fluo_recipes::codec::Kryo;
use fluo_recipes::combine_queue::{Change, CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};
use fluo_recipes::stored_queue::StoredQueue;
use fluo_recipes::transient::TransientRange;
use fluo_table::Column;
use fluo_tests::until;

use crate::ground::{Together, ask, read};

const KEYS: u32 = 5;
const ENTRIES: u32 = 40;
/// The entries of an export queue: key, sequence, value.
type Entries = Vec<(String, u64, String)>;

fn sums() -> CombineQueue<String, i64> {
    let queue = CombineQueue::with_codecs("sums", Kryo, Kryo, Sum).unwrap();
    queue.buckets(7).unwrap()
}

fn out() -> ExportQueue<String, String> {
    let queue = ExportQueue::with_codecs("out", Kryo, Kryo).unwrap();
    queue.buckets(5).unwrap()
}

fn total() -> Column {
    Column::new("sum", "total")
}

/// Returns the observers of the application without its queues.
fn without_queues() -> Observers {
    let nothing = || observer_fn(async |_, _, _| Ok::<(), fluo_engine::Error>(()));
    Observers::new()
        .strong(Column::new("s", "strong"), "strong", nothing())
        .unwrap()
        .weak(Column::new("w", "weak"), "weak", nothing())
        .unwrap()
}

/// Returns the observers of the application, which put exported entries into a list.
fn observers(exported: Arc<Mutex<Entries>>) -> Observers {
    let store = async |tx: Transaction, changes: Vec<Change<String, i64>>| {
        for change in changes {
            let sum = change.new.unwrap_or(0);
            tx.set(format!("sum:{}", change.key), &total(), sum.to_string())?;
        }
        Ok::<(), fluo_engine::Error>(())
    };
    let export = move |entries: Exports<String, String>| {
        let line = |entry: &fluo_recipes::export_queue::Export<String, String>| {
            (entry.key.clone(), entry.sequence.get(), entry.value.clone())
        };
        exported.lock().unwrap().extend(entries.iter().map(line));
        std::future::ready(Ok::<_, ExportError>(Exported::All))
    };
    let sums = sums().on_changes(store);
    let observers = without_queues().recipe(&sums).unwrap();
    observers.recipe(&out().export_to(export)).unwrap()
}

/// Adds entries to both queues, as Java's commands `combine` and `export` do.
async fn add(client: &Client, from: u32, to: u32) {
    for number in from..to {
        let key = format!("key{}", number % KEYS);
        let body = async |tx: Transaction| {
            sums().add(&tx, key.clone(), 1)?;
            out().add(&tx, key.clone(), format!("v{number}"))
        };
        client.run(body).await.unwrap();
    }
}

/// Waits until the sums of all keys are those of this many entries.
async fn until_sums_are(client: &Client, entries: u32) {
    let expected = (entries / KEYS).to_string();
    let reached = async || {
        for key in 0..KEYS {
            if read(client, &format!("sum:key{key}"), &total()).await.as_ref() != Some(&expected) {
                return false;
            }
        }
        true
    };
    until("the sums", reached).await;
}

/// Checks that each key has all its values, in the order of increasing sequences.
fn check_exports(entries: &Entries, count: u32) {
    let mut by_key: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
    for (key, sequence, value) in entries {
        by_key.entry(key).or_default().push((*sequence, value));
    }
    assert_eq!(by_key.len(), KEYS as usize);
    for (key, entries) in by_key {
        let mut unique = entries.clone();
        unique.sort_unstable();
        unique.dedup();
        // An entry may be delivered again, and then its successors are too.
        let number: u32 = key.strip_prefix("key").unwrap().parse().unwrap();
        let values = (0..count).filter(|n| n % KEYS == number).map(|n| format!("v{n}"));
        assert!(unique.iter().map(|(_, value)| *value).eq(values), "{entries:?}");
    }
}

async fn application(prefix: &str) -> Option<(Together, fluo_cluster::JavaPeer, Client)> {
    let together = Together::new(prefix)?;
    let java = together.java_with_oracle(&[("fluo.app.queues", "true")]);
    let client = together.client().await;
    Some((together, java, client))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rust_processes_entries_of_java() {
    let Some((_together, mut java, client)) = application("queues_of_java").await else { return };
    ask(&mut java, &format!("combine 0 {ENTRIES} {KEYS}"));
    ask(&mut java, &format!("export 0 {ENTRIES} {KEYS}"));
    let exported = Arc::<Mutex<Entries>>::default();
    let client = client.with_observers(observers(exported.clone()));
    let worker = client.worker().start();
    let worker = worker.await.unwrap();
    until_sums_are(&client, ENTRIES).await;
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
    check_exports(&exported.lock().unwrap(), ENTRIES);
    let snapshot = client.snapshot().await.unwrap();
    assert_eq!(sums().get(&snapshot, "key1").await.unwrap(), Some(8));
}

/// The settings of recipes lacked the prefix of the application's configuration, so no queue that
/// Java configured could be opened here, and Java found none that was configured here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_side_finds_the_queues_that_the_other_one_configured() {
    let Some((together, _java, _)) = application("queues_configured").await else { return };
    let fluo = together.rust().await;
    let application = fluo.application(&together.name);
    let application = application.recipe(&sums()).recipe(&out());
    let client = application.open().await.unwrap();
    let settings = &client.application().settings;
    assert_eq!(settings["recipes.cfm.sums.buckets"], "7");
    let queues = StoredQueue::all(settings).unwrap();
    assert_eq!(queues.len(), 2);
    assert!(TransientRange::all_from_settings(settings).unwrap().len() >= 2);

    let together = Together::new("queues_of_both").unwrap();
    let fluo = together.rust().await;
    let application = fluo.application(&together.name);
    let application = application
        .observers(&without_queues())
        .recipe(&sums())
        .recipe(&out())
        .set("fluo.observer.provider", "Observers")
        .set("queues", "true");
    application.initialize().await.unwrap();
    let oracle = together.oracle().await;
    let client = together.client().await;
    let mut java = together.java();
    ask(&mut java, &format!("combine 0 {KEYS} {KEYS}"));
    ask(&mut java, &format!("export 0 {KEYS} {KEYS}"));
    ask(&mut java, "start-worker");
    until_sums_are(&client, KEYS).await;
    client.wait_until_idle().await.unwrap();
    // The command of a Java worker ends by a signal, too.
    drop(java);
    oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn java_processes_entries_of_rust() {
    let Some((_together, mut java, client)) = application("queues_of_rust").await else { return };
    // Entries of both sides meet in one queue.
    ask(&mut java, &format!("combine 0 {KEYS} {KEYS}"));
    ask(&mut java, &format!("export 0 {KEYS} {KEYS}"));
    add(&client, KEYS, ENTRIES).await;
    ask(&mut java, "start-worker");
    until_sums_are(&client, ENTRIES).await;
    client.wait_until_idle().await.unwrap();
    let text = fs::read_to_string(java.exported()).unwrap();
    let entry = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        (words[0].to_owned(), words[1].parse().unwrap(), words[2].to_owned())
    };
    check_exports(&text.lines().map(entry).collect(), ENTRIES);
    let snapshot = client.snapshot().await.unwrap();
    assert_eq!(sums().get(&snapshot, "key1").await.unwrap(), Some(8));
}
