//! Workers of both sides.

use std::collections::BTreeMap;
use std::time::Duration;

use fluo_engine::{Bytes, Client, InstanceExt, Observers, Transaction, observer_fn};
use fluo_table::{Cell, Column, Scan, Span};
use fluo_tests::while_changing;
use futures::TryStreamExt;
use tokio::time::sleep;

use crate::ground::{Together, ask};

fn strong() -> Column {
    Column::new("s", "strong")
}

fn weak() -> Column {
    Column::new("w", "weak")
}

/// Adds a word to a list, as the observers of Java do.
async fn add(tx: &Transaction, row: Bytes, list: &Column) -> fluo_engine::Result<()> {
    let before = tx.get(row.clone(), list).await?.unwrap_or_default();
    let after = [&before[..], b"rust,"].concat();
    tx.set(row, list, after)
}

fn observers() -> Observers {
    let seen_strong =
        observer_fn(async |tx, row, _| add(&tx, row, &Column::new("seen", "strong")).await);
    let seen_weak =
        observer_fn(async |tx, row, _| add(&tx, row, &Column::new("seen", "weak")).await);
    let observers = Observers::new().strong(strong(), "strong", seen_strong);
    observers.unwrap().weak(weak(), "weak", seen_weak).unwrap()
}

/// Sets a value in the strong column of some rows, and requests a run for the weak one.
async fn load(client: &Client, prefix: &str, count: u32) {
    for number in 0..count {
        let row = format!("{prefix}{number:05}");
        let body = async |tx: Transaction| {
            tx.set(row.clone(), &strong(), "rust")?;
            tx.set(row.clone(), &Column::new("w", "mark"), "rust")?;
            tx.notify(row.clone(), &weak())
        };
        client.run(body).await.unwrap();
    }
}

/// The lists of both observers, by row and qualifier.
type Lists = BTreeMap<(String, String), String>;

async fn seen(client: &Client) -> Lists {
    let text = |bytes: Bytes| String::from_utf8(bytes.to_vec()).unwrap();
    let snapshot = client.snapshot().await.unwrap();
    let cells = snapshot.scan(Scan::over(Span::all()));
    let mut cells: Vec<Cell> = cells.try_concat().await.unwrap();
    cells.retain(|cell| cell.key.column.family == "seen");
    let entry =
        |cell: Cell| ((text(cell.key.row), text(cell.key.column.qualifier)), text(cell.value));
    cells.into_iter().map(entry).collect()
}

/// Waits until each row has passed both observers, and returns the lists.
async fn all_seen(client: &Client, rows: usize) -> Lists {
    let ending = async {
        while seen(client).await.len() < 2 * rows {
            sleep(Duration::from_millis(200)).await;
        }
        client.wait_until_idle().await.unwrap();
    };
    while_changing(ending, async || seen(client).await).await;
    seen(client).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn java_observes_what_rust_loads() {
    let Some(together) = Together::new("seen_by_java") else { return };
    let mut java = together.java_with_oracle(&[]);
    let client = together.client().await;
    load(&client, "row", 30).await;
    ask(&mut java, "start-worker");
    load(&client, "more", 30).await;
    let seen = all_seen(&client, 60).await;
    assert!(seen.values().all(|list| list == "java,"), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rust_observes_what_java_loads() {
    let Some(together) = Together::new("seen_by_rust") else { return };
    let mut java = together.java_with_oracle(&[]);
    ask(&mut java, "load row 0 30");
    let client = together.client().await.with_observers(observers());
    let worker = client.worker().start();
    let worker = worker.await.unwrap();
    ask(&mut java, "load row 30 60");
    let seen = all_seen(&client, 60).await;
    assert!(seen.values().all(|list| list == "rust,"), "{seen:?}");
    worker.stop().await;
}

/// The class of Java's observers is a setting, as in Java's own file of settings.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn java_observes_in_an_application_of_rust() {
    let Some(together) = Together::new("of_rust") else { return };
    let fluo = together.rust().await;
    let application = fluo.application(&together.name).observers(&observers());
    let application = application
        .set("fluo.observer.provider", "Observers")
        .set("greeting", "hi: there = # ! \\");
    application.initialize().await.unwrap();
    let oracle = together.oracle().await;
    let client = together.client().await;
    let mut java = together.java();
    assert_eq!(ask(&mut java, "setting greeting"), "hi: there = # ! \\");
    ask(&mut java, "load java 0 20");
    load(&client, "rust", 20).await;
    ask(&mut java, "start-worker");
    let seen = all_seen(&client, 40).await;
    assert!(seen.values().all(|list| list == "java,"), "{seen:?}");
    // The command of a Java worker ends by a signal, too.
    drop(java);
    oracle.stop().await;
}

/// A strong observer commits exactly once for each notification. A weak one may run more than once,
/// because two workers may both process its notification around a change of their shares.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_of_each_side_share_all_notifications() {
    let Some(together) = Together::new("shared") else { return };
    let (mut java, mut second) = (together.java(), together.java());
    ask(&mut java, "initialize");
    ask(&mut java, "start-oracle");
    ask(&mut java, "start-worker");
    ask(&mut second, "start-worker");
    let client = together.client().await;
    let other = together.client().await;
    let start = async |client: &Client| {
        let client = client.clone().with_observers(observers());
        client.worker().start().await.unwrap()
    };
    let workers = [start(&client).await, start(&other).await];
    load(&client, "rust", 100).await;
    ask(&mut java, "load java 0 100");
    let seen = all_seen(&client, 200).await;
    assert_eq!(seen.len(), 400);
    let (mut of_java, mut of_rust) = (0, 0);
    for ((row, qualifier), list) in &seen {
        let sides: Vec<_> = list.split_terminator(',').collect();
        assert!(list.ends_with(','), "{row} {qualifier}: {list}");
        assert!(
            sides.len() == 1 || qualifier == "weak",
            "{row}: a strong observer committed more than once: {list}"
        );
        for side in sides {
            match side {
                "java" => of_java += 1,
                "rust" => of_rust += 1,
                _ => panic!("{row} {qualifier}: {list}"),
            }
        }
    }
    // Each side has half of the workers. The first ones run before all workers wait together.
    assert!(of_java > 50 && of_rust > 50, "java {of_java}, rust {of_rust}");
    for worker in workers {
        worker.stop().await;
    }
}
