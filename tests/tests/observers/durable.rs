//! Notifications and dead letters outlive the process on the embedded table.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::{
    Client, ClientOptions, InstanceExt, Observers, Transaction, Worker, WorkerOptions, observer_fn,
};
use fluo_table::coordination::Applications;
use fluo_table::{Authorizations, Bytes, Column, Error, Instance, TableAdmin};
use fluo_tests::STUCK;
use fluo_tests::scenarios::observed::{column, copies, idle, read_now, set};

/// Opens the application like a new process. Creates it if it does not exist.
async fn open(directory: &Path) -> Client {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options).unwrap();
    let applications = tables.applications();
    if applications.list().await.unwrap().is_empty() {
        let fluo = Instance::new(Arc::new(tables.clone()), Arc::new(applications.clone()));
        let application = fluo.application("app").table("t");
        let application = application.observers(&observers(true));
        application.initialize().await.unwrap();
    }
    let table = tables
        .open_table("t", Authorizations::none())
        .await
        .unwrap();
    let coordination = applications.open("app").await.unwrap();
    Client::open(table, coordination, ClientOptions::new())
        .await
        .unwrap()
}

fn observers(is_fixed: bool) -> Observers {
    let measures = observer_fn(
        move |tx: Transaction, row: Bytes, from: Column| async move {
            if !is_fixed {
                return Err(Error::invalid("the scale is broken"));
            }
            let value = tx.get(row.clone(), &from).await?.unwrap_or_default();
            tx.set(row, &column("b"), value)
        },
    );
    Observers::new()
        .strong(column("a"), "measure", measures)
        .unwrap()
        .strong(column("b"), "copy", copies("c", |value| value + 1))
        .unwrap()
}

async fn start(client: &Client, is_fixed: bool) -> Worker {
    let options = WorkerOptions::new().max_tries(NonZeroU32::MIN);
    client
        .clone()
        .with_observers(observers(is_fixed))
        .start_worker(options)
        .await
        .unwrap()
}

#[tokio::test]
async fn notifications_and_dead_letters_survive_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let client = open(directory.path()).await;
    set(&client, "r", "a", 7).await;
    drop(client);

    let client = open_again(directory.path()).await;
    let worker = start(&client, false).await;
    idle(&client).await;
    assert_eq!(client.failed_notifications().await.unwrap().len(), 1);
    worker.stop().await;
    drop(client);

    let client = open_again(directory.path()).await;
    let failed = client.failed_notifications().await.unwrap();
    assert_eq!(
        (failed[0].error.as_str(), failed[0].tries),
        ("the scale is broken", 1)
    );
    let worker = start(&client, true).await;
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "c").await, 0);
    assert!(client.retry_notification(&failed[0].cell).await.unwrap());
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "c").await, 8);
    assert_eq!(client.failed_notifications().await.unwrap(), []);
    worker.stop().await;
}

/// Opens the application again, after the tasks of the last client have released the directory.
async fn open_again(directory: &Path) -> Client {
    let released = async {
        while EmbeddedTables::open(directory, EmbeddedOptions::new()).is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let in_time = tokio::time::timeout(STUCK, released).await;
    in_time.expect("the directory is held all the time");
    open(directory).await
}
