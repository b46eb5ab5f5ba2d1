//! The exporter of the example `19_export_to_sqlite`: repeated orders, and a database that is
//! locked or damaged.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fluo_engine::{Client, Timestamp, Worker, WorkerOptions};
use fluo_recipes::codec::{Postcard, Text};
use fluo_recipes::export_queue::{Export, ExportQueue, Exported, Exports};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::fixture::declared;
use crate::sqlite_sink::{Order, SqliteSink};

fn database() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("orders.sqlite");
    (directory, path)
}

/// Returns orders of a customer, whose numbers are the sequences.
fn orders(customer: &str, sequences: &[u64]) -> Exports<String, Order> {
    let order = |number: &u64| {
        let sequence = Timestamp::new(*number).unwrap();
        Export::new(
            customer.to_owned(),
            customer.to_owned(),
            (*number, 1),
            sequence,
        )
    };
    sequences.iter().map(order).collect()
}

#[tokio::test]
async fn ignores_orders_that_come_again_or_late() {
    let (_directory, path) = database();
    for (customer, sequences, expected) in [
        ("alice", &[3][..], "alice3"),
        ("alice", &[3, 5], "alice3 alice5"),
        ("alice", &[4], "alice3 alice5"),
        ("bob", &[4], "alice3 alice5 bob4"),
        ("alice", &[3, 5, 7], "alice3 alice5 bob4 alice7"),
    ] {
        // The last sequences are in the file.
        let sink = SqliteSink::open(&path).unwrap();
        let answer = sink.clone().export(orders(customer, sequences)).await;
        assert_eq!(answer.unwrap(), Exported::All);
        let exported = sink.exported().unwrap();
        let names = exported
            .iter()
            .map(|order| format!("{}{}", order.key, order.value.0));
        assert_eq!(names.collect::<Vec<_>>().join(" "), expected);
    }
}

/// Starts a worker that tries an export once, and adds an order.
async fn order_once(path: &Path) -> (SqliteSink, Client, Worker) {
    let queue = ExportQueue::<String, Order>::with_codecs("eq", Text, Postcard).unwrap();
    let sink = SqliteSink::open(path).unwrap();
    let exporter = sink.clone();
    let queue = queue.export_to(move |orders| exporter.clone().export(orders));
    let client = declared(&[&queue]).create().await.unwrap();
    let options = WorkerOptions::new().max_tries(NonZeroU32::MIN);
    let worker = client.start_worker(options).await.unwrap();
    let add = async |tx: fluo_engine::Transaction| queue.add(&tx, "alice", (1, 250));
    client.run(add).await.unwrap();
    (sink, client, worker)
}

#[tokio::test]
async fn waits_while_another_program_writes() {
    let (_directory, path) = database();
    drop(SqliteSink::open(&path).unwrap());
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (sink, client, worker) = order_once(&path).await;
    // Longer than SQLite waits.
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(sink.exported().unwrap().len(), 0);
    other.execute_batch("COMMIT").unwrap();
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
    assert_eq!(sink.exported().unwrap().len(), 1);
    assert!(client.failed_notifications().await.unwrap().is_empty());
}

#[tokio::test]
async fn fails_on_a_database_with_other_tables() {
    let (_directory, path) = database();
    drop(SqliteSink::open(&path).unwrap());
    let other = Connection::open(&path).unwrap();
    // Opening the database would create a missing table again, but not the one behind a view.
    let view = "DROP TABLE orders; CREATE VIEW orders AS SELECT 1";
    other.execute_batch(view).unwrap();
    let (_, client, worker) = order_once(&path).await;
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
    let failed = client.failed_notifications().await.unwrap();
    assert!(failed[0].error.contains("orders"), "{failed:?}");
}
