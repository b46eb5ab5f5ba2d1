//! The address of the application of this test, and the credentials of a client.

use std::time::Duration;

use fluo_accumulo::{AccumuloOptions, ProxyOptions};
use fluo_cluster::{Cluster, Proxy, Site};
use fluo_table::Instance;
use serde::{Deserialize, Serialize};

/// The addresses and the credentials of a process. Earlier builds parse it too.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Access {
    /// The addresses of the proxies, separated by commas. An earlier build reads only one.
    proxy: String,
    site: Site,
}

impl Access {
    /// A short session timeout, so that the others soon go on after a kill.
    pub(crate) const SESSION: Duration = Duration::from_secs(4);

    pub(crate) fn new(cluster: &Cluster, proxies: &[&Proxy]) -> Self {
        let addresses: Vec<_> = proxies.iter().map(|proxy| proxy.address()).collect();
        Self { proxy: addresses.join(","), site: cluster.site().clone() }
    }

    /// Returns the access through the first proxy alone.
    pub(crate) fn through_one_proxy(&self) -> Self {
        let first = self.proxy.split(',').next().unwrap_or_default();
        Self { proxy: first.to_owned(), site: self.site.clone() }
    }

    pub(crate) fn zookeepers(&self) -> String {
        format!("{}/fluo", self.site.zookeepers)
    }

    pub(crate) async fn connect(&self) -> Instance {
        let proxy = ProxyOptions::new(&self.proxy, self.site.credentials());
        let options = AccumuloOptions::new(proxy, self.zookeepers());
        fluo_accumulo::connect(options.session_timeout(Self::SESSION)).await.unwrap()
    }
}
