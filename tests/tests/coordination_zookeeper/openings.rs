//! Transactions of several clients, on a real Accumulo.

use std::time::Duration;

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_engine::Status;
use fluo_engine::{Client, Error, InstanceExt, Transaction};
use fluo_table::{Column, Instance};
use futures::future::try_join_all;

use crate::cluster::{cluster, fresh_name, options, zookeepers};

const TASKS: u32 = 4;
const TIMES: u32 = 5;

async fn instance() -> Instance {
    let cluster = cluster().unwrap();
    fluo_accumulo::connect(options(cluster, zookeepers(cluster))).await.unwrap()
}

/// Adds one to a number, several times.
async fn count(client: Client, column: Column) -> Result<(), Error> {
    for _ in 0..TIMES {
        let add = async |tx: Transaction| {
            let value = tx.get("row", &column).await?;
            let text = value.map(|value| String::from_utf8(value.to_vec()).unwrap());
            let number = text.map_or(0, |text| text.parse::<u32>().unwrap());
            tx.set("row", &column, (number + 1).to_string())
        };
        client.run(add).await?;
    }
    Ok(())
}

/// Each opening writes its epoch to the table, and waits until the servers show it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_open_an_application_at_once_all_succeed() {
    if cluster().is_none() {
        return;
    }
    let name = fresh_name("opened");
    let instances = try_join_all((0..6).map(|_| async { Ok::<_, ()>(instance().await) }));
    let instances = instances.await.unwrap();
    instances[0].application(&name).initialize().await.unwrap();
    let handles = instances.iter().map(|fluo| fluo.application(&name));
    let opening = handles.map(|handle| async move { handle.open().await });
    let clients = try_join_all(opening).await.unwrap();
    drop(clients);
    while instances[0].application(&name).status().await.unwrap() == Status::Running {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    instances[0].application(&name).remove().await.unwrap();
}

/// Two clients have no common state but the cluster.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_clients_lose_no_update() {
    let Some(cluster) = cluster() else { return };
    let name = fresh_name("counted");
    let (one, other) = (instance().await, instance().await);
    one.application(&name).initialize().await.unwrap();
    let oracle = OracleOptions::new(zookeepers(cluster), &name).unwrap().host("localhost");
    let oracle = Oracle::start(oracle).await.unwrap();
    let column = Column::new("f", "count");
    let first = one.application(&name).open().await.unwrap();
    let second = other.application(&name).open().await.unwrap();
    assert_ne!(first.transactor(), second.transactor());
    let clients = [&first, &second].repeat(TASKS as usize / 2);
    let tasks = clients.into_iter().map(|client| count(client.clone(), column.clone()));
    try_join_all(tasks).await.unwrap();
    let snapshot = first.snapshot().await.unwrap();
    let counted = snapshot.get("row", &column).await.unwrap().unwrap();
    assert_eq!(counted, (TASKS * TIMES).to_string());
    drop(snapshot);
    drop((first, second));
    // The clients end after their last background work.
    while one.application(&name).status().await.unwrap() == Status::Running {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    one.application(&name).remove().await.unwrap();
    oracle.stop().await;
}
