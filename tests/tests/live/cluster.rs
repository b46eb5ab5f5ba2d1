//! The cluster of these tests, and clients of it.

use accumulo_proxy::{Credentials, ProxyClient, Settings};
use fluo_accumulo::AccumuloTables;
use fluo_cluster::Cluster;
use fluo_tests::conformance::AUTHORIZATIONS;
use tokio::sync::OnceCell;

/// The cluster, or none where live tests are not wanted: then a test returns at once.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    fluo_cluster::wanted().then(|| Cluster::shared().unwrap())
}

/// Settings for the proxy of the cluster, as its administrator.
pub(crate) fn settings(cluster: &Cluster) -> Settings {
    let credentials = Credentials::password(cluster.user(), cluster.password());
    Settings::new(cluster.proxy().unwrap().address(), credentials)
}

/// A client of the cluster's proxy, as its administrator.
pub(crate) async fn client() -> Option<ProxyClient> {
    let settings = settings(cluster()?);
    Some(ProxyClient::connect(settings).await.unwrap())
}

/// The tables of the cluster, as its administrator, who holds the authorizations of the conformance suite.
pub(crate) async fn tables() -> Option<AccumuloTables> {
    static GRANTED: OnceCell<()> = OnceCell::const_new();
    let client = client().await?;
    let grant = async || {
        let user = client.settings().credentials.user().unwrap();
        let security = client.security_operations();
        security
            .change_authorizations(user, AUTHORIZATIONS)
            .await
            .unwrap();
    };
    GRANTED.get_or_init(grant).await;
    Some(AccumuloTables::new(client))
}
