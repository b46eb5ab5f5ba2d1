//! Sessions that end: in order, by a network failure, or for others only.

use std::time::Duration;

use fluo_accumulo::ZooKeeperOptions;
use fluo_table::coordination::Application;
use fluo_table::{ErrorKind, Timestamp};

use crate::cluster::{CHROOT, applications, cluster, connect, fresh_name, options, zookeeper};
use crate::relay::Relay;
use crate::workers::{everything, without_pauses};

const TRANSACTOR_ENDED: &str = "so others may undo its transactions; begin a new one";
const WORKER_ENDED: &str = "so other workers take over its share; join again";

fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactors_and_workers_end_with_a_session_that_the_network_cuts() {
    let Some(cluster) = cluster() else { return };
    let name = fresh_name("cut");
    let watching = applications().await.unwrap();
    watching.initialize(&name, without_pauses(&name)).await.unwrap();
    let mut relay = Relay::new(&cluster.site().zookeepers).await;
    let through = ZooKeeperOptions::new(format!("{}{CHROOT}", relay.address()));
    let through = through.session_timeout(Duration::from_secs(4));
    let cut = connect(options(cluster, through)).await;
    let (own, other) = (cut.open(&name).await.unwrap(), watching.open(&name).await.unwrap());
    let transactor = own.begin_transactor().await.unwrap();
    transactor.publish_oldest_active(Some(at(7))).await.unwrap();
    let worker = own.join_workers().await.unwrap();
    let lock = cut.lock_setup(&name, &name).await.unwrap();
    assert!(other.is_alive(transactor.id()).await.unwrap());

    relay.cut();
    while watching.is_running(&name).await.unwrap() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(!other.is_alive(transactor.id()).await.unwrap());
    drop(watching.lock_setup(&name, &name).await.unwrap());
    relay.resume().await;

    for oldest in [Some(at(8)), None] {
        let error = transactor.publish_oldest_active(oldest).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().ends_with(TRANSACTOR_ENDED), "{error}");
    }
    let error = worker.share().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().ends_with(WORKER_ENDED), "{error}");

    // The same client begins others, in another session.
    let next = own.begin_transactor().await.unwrap();
    assert!(next.id() > transactor.id());
    let again = own.join_workers().await.unwrap();
    assert_eq!(again.share().await.unwrap(), Some(everything()));
    drop((transactor, worker, lock));
    assert!(other.is_alive(next.id()).await.unwrap());
    assert!(again.share().await.is_ok());
    drop((next, again, own, cut));
    watching.remove(&name).await.unwrap();
}

#[tokio::test]
async fn a_short_cut_does_not_end_a_session() {
    let Some(cluster) = cluster() else { return };
    let name = fresh_name("hiccup");
    let mut relay = Relay::new(&cluster.site().zookeepers).await;
    let applications = connect(options(cluster, format!("{}{CHROOT}", relay.address()))).await;
    applications.initialize(&name, without_pauses(&name)).await.unwrap();
    let coordination = applications.open(&name).await.unwrap();
    let transactor = coordination.begin_transactor().await.unwrap();
    let worker = coordination.join_workers().await.unwrap();
    relay.cut();
    tokio::time::sleep(Duration::from_secs(1)).await;
    relay.resume().await;
    transactor.publish_oldest_active(Some(at(7))).await.unwrap();
    assert!(coordination.is_alive(transactor.id()).await.unwrap());
    assert_eq!(worker.share().await.unwrap(), Some(everything()));
    drop((transactor, worker));
    applications.remove(&name).await.unwrap();
}

/// Others roll back the transactions of a transactor without a node.
#[tokio::test]
async fn a_transactor_ends_if_its_node_is_deleted() {
    let Some(applications) = applications().await else { return };
    let zookeeper = zookeeper(cluster().unwrap()).await;
    let name = fresh_name("deleted");
    applications.initialize(&name, Application::new("1", &name)).await.unwrap();
    let coordination = applications.open(&name).await.unwrap();
    let transactor = coordination.begin_transactor().await.unwrap();
    zookeeper.delete(&format!("{CHROOT}/{name}/transactor/nodes/1"), None).await.unwrap();
    assert!(!coordination.is_alive(transactor.id()).await.unwrap());
    let error = transactor.publish_oldest_active(Some(at(7))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().ends_with(TRANSACTOR_ENDED), "{error}");
    drop(transactor);
    applications.remove(&name).await.unwrap();
}

/// Without this, the lock of a command that has ended would hold up the next one for as long as the
/// session times out.
#[test]
fn locks_and_transactors_end_at_once_with_a_process_that_ends_in_order() {
    if cluster().is_none() {
        return;
    }
    let name = fresh_name("orderly");
    let process = || tokio::runtime::Runtime::new().unwrap();
    process().block_on(async {
        let applications = applications().await.unwrap();
        applications.initialize(&name, Application::new("1", &name)).await.unwrap();
        let coordination = applications.open(&name).await.unwrap();
        let _transactor = coordination.begin_transactor().await.unwrap();
        let _lock = applications.lock_setup(&name, &name).await.unwrap();
    });
    process().block_on(async {
        let applications = applications().await.unwrap();
        assert!(applications.lock_setup(&name, &name).await.is_ok());
        applications.remove(&name).await.unwrap();
    });
}
