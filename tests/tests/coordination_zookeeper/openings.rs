//! Processes that open an application at the same time, on a real Accumulo.

use fluo_engine::{InstanceExt, Status};
use fluo_tests::until;
use futures::future::{join_all, try_join_all};

use crate::cluster::{cluster, fresh_name, options, zookeepers};

/// Each opening writes its epoch to the table, and waits until the servers show it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_open_an_application_at_once_all_succeed() {
    let Some(cluster) = cluster() else { return };
    let name = fresh_name("opened");
    let connect = || fluo_accumulo::connect(options(cluster, zookeepers(cluster)));
    let instances = try_join_all((0..6).map(|_| connect())).await.unwrap();
    let application = instances[0].application(&name);
    application.initialize().await.unwrap();
    let handles = instances.iter().map(|fluo| fluo.application(&name));
    let opened = join_all(handles.map(|handle| async move { handle.open().await })).await;
    assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    drop(opened);
    let status = async || application.status().await.unwrap();
    until("the application stops", async || status().await != Status::Running).await;
    application.remove().await.unwrap();
}
