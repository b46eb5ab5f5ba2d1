//! The cluster of these tests, and clients of its ZooKeeper.

use std::sync::Arc;

use fluo_accumulo::{AccumuloOptions, ProxyOptions, ZooKeeperOptions};
use fluo_cluster::Cluster;
use fluo_table::coordination::Applications;
use zookeeper_client::Client;

pub(crate) use fluo_tests::unused_name as fresh_name;

/// The path of the applications of all tests that need no other one.
pub(crate) const CHROOT: &str = "/conformance";

/// Returns the cluster, or `None` if live tests are not wanted.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    Cluster::if_wanted()
}

/// Returns the options of a client whose applications are at this address in ZooKeeper.
pub(crate) fn options(
    cluster: &Cluster,
    zookeeper: impl Into<ZooKeeperOptions>,
) -> AccumuloOptions {
    let proxy = cluster.proxy().unwrap().address();
    let proxy = ProxyOptions::new(proxy, cluster.site().credentials());
    AccumuloOptions::new(proxy, zookeeper).instance_name(&cluster.site().instance)
}

/// Connects, and returns the applications.
pub(crate) async fn connect(options: AccumuloOptions) -> Arc<dyn Applications> {
    let fluo = fluo_accumulo::connect(options).await.unwrap();
    fluo.applications().clone()
}

/// Returns the applications of a new client, or `None` if live tests are not wanted.
pub(crate) async fn applications() -> Option<Arc<dyn Applications>> {
    let cluster = cluster()?;
    Some(connect(options(cluster, zookeepers(cluster))).await)
}

/// Returns the address of the applications in ZooKeeper.
pub(crate) fn zookeepers(cluster: &Cluster) -> String {
    format!("{}{CHROOT}", cluster.site().zookeepers)
}

/// Returns a client of ZooKeeper itself.
pub(crate) async fn zookeeper(cluster: &Cluster) -> Client {
    Client::connect(&cluster.site().zookeepers).await.unwrap()
}
