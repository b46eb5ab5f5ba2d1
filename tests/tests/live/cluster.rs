//! The cluster of these tests, and clients of it.

use accumulo_proxy::{ProxyClient, ProxyOptions};
use fluo_accumulo::{AccumuloTables, IteratorBuild};
use fluo_cluster::Cluster;
use fluo_tests::conformance::AUTHORIZATIONS;
use tokio::sync::OnceCell;

/// Returns the cluster, or `None` if live tests are not wanted. A test then returns at once.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    Cluster::if_wanted()
}

/// Returns settings for the proxy of the cluster, as its administrator.
pub(crate) fn settings(cluster: &Cluster) -> ProxyOptions {
    ProxyOptions::new(cluster.proxy().unwrap().address(), cluster.site().credentials())
}

/// Connects to the cluster's proxy as its administrator.
pub(crate) async fn client() -> Option<ProxyClient> {
    let settings = settings(cluster()?);
    Some(ProxyClient::connect(settings).await.unwrap())
}

/// Returns the tables of the cluster, as its administrator with the authorizations of the
/// conformance suite.
pub(crate) async fn tables() -> Option<AccumuloTables> {
    static GRANTED: OnceCell<()> = OnceCell::const_new();
    let (cluster, client) = (cluster()?, client().await?);
    let grant = async || {
        let security = client.security_operations();
        security.change_authorizations(cluster.user(), AUTHORIZATIONS).await.unwrap();
    };
    GRANTED.get_or_init(grant).await;
    // A cluster with a secret runs Accumulo 2.x. Its state file is written by hand, for servers
    // with the matching jars.
    let build = match cluster.secret() {
        Some(_) => IteratorBuild::ForAccumulo2,
        None => IteratorBuild::ForAccumulo1,
    };
    Some(AccumuloTables::new(client).iterator_build(build))
}
