//! The cluster of these tests, and clients of it.

use accumulo_proxy::{Credentials, ProxyClient, ProxyOptions};
use fluo_accumulo::{AccumuloTables, IteratorBuild};
use fluo_cluster::Cluster;
use fluo_tests::conformance::AUTHORIZATIONS;
use tokio::sync::OnceCell;

/// The cluster, or none where live tests are not wanted: then a test returns at once.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    fluo_cluster::wanted().then(|| Cluster::shared().unwrap())
}

/// The credentials of the administrator: the shared secret of a cluster that has one.
pub(crate) fn credentials(cluster: &Cluster) -> Credentials {
    match cluster.secret() {
        Some(secret) => Credentials::shared_secret(secret),
        None => Credentials::password(cluster.user(), cluster.password()),
    }
}

/// ProxyOptions for the proxy of the cluster, as its administrator.
pub(crate) fn settings(cluster: &Cluster) -> ProxyOptions {
    ProxyOptions::new(cluster.proxy().unwrap().address(), credentials(cluster))
}

/// A client of the cluster's proxy, as its administrator.
pub(crate) async fn client() -> Option<ProxyClient> {
    let settings = settings(cluster()?);
    Some(ProxyClient::connect(settings).await.unwrap())
}

/// The tables of the cluster, as its administrator, who holds the authorizations of the conformance suite.
pub(crate) async fn tables() -> Option<AccumuloTables> {
    static GRANTED: OnceCell<()> = OnceCell::const_new();
    let (cluster, client) = (cluster()?, client().await?);
    let grant = async || {
        let security = client.security_operations();
        security
            .change_authorizations(cluster.user(), AUTHORIZATIONS)
            .await
            .unwrap();
    };
    GRANTED.get_or_init(grant).await;
    // A cluster with a secret is one of Accumulo 2.x; whoever writes its state file vouches for its jars.
    let build = match cluster.secret() {
        Some(_) => IteratorBuild::ForAccumulo2,
        None => IteratorBuild::ForAccumulo1,
    };
    Some(AccumuloTables::new(client).iterator_build(build))
}
