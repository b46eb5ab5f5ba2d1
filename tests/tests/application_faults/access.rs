//! The address of the application of this test, and the credentials of a client.

use std::time::Duration;

use fluo_accumulo::{AccumuloOptions, Credentials, ProxyOptions};
use fluo_cluster::{Cluster, Proxy};
use fluo_table::Instance;
use serde::{Deserialize, Serialize};

/// The address and the credentials of a process, through one of the proxies.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Access {
    proxy: String,
    user: String,
    password: String,
    zookeepers: String,
}

impl Access {
    /// A short session timeout, so that the others soon go on after a kill.
    pub(crate) const SESSION: Duration = Duration::from_secs(4);

    pub(crate) fn new(cluster: &Cluster, proxy: &Proxy) -> Self {
        Self {
            proxy: proxy.address(),
            user: cluster.user().to_owned(),
            password: cluster.password().to_owned(),
            zookeepers: format!("{}/fluo", cluster.site().zookeepers),
        }
    }

    pub(crate) fn zookeepers(&self) -> &str {
        &self.zookeepers
    }

    pub(crate) async fn connect(&self) -> Instance {
        let credentials = Credentials::password(&self.user, &self.password);
        let proxy = ProxyOptions::new(&self.proxy, credentials);
        let options = AccumuloOptions::new(proxy, &self.zookeepers).session_timeout(Self::SESSION);
        fluo_accumulo::connect(options).await.unwrap()
    }
}
