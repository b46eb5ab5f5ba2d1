//! The application of this test, its address, and the credentials of a client.

use std::time::Duration;

use fluo_accumulo::{AccumuloOptions, ProxyOptions};
use fluo_cluster::{Cluster, Proxy, Site};
use fluo_engine::ApplicationHandle;
use fluo_table::Instance;
use fluo_tests::shop;
use serde::{Deserialize, Serialize};

use crate::sink;

/// The addresses and the credentials of a process. Earlier builds parse it too.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Access {
    /// The addresses of the proxies, separated by commas. An earlier build reads only one.
    proxy: String,
    site: Site,
    /// An application with queues and a sink, which earlier builds do not know.
    #[serde(default)]
    pub(crate) has_sink: bool,
}

impl Access {
    /// A short session timeout, so that the others soon go on after a kill.
    pub(crate) const SESSION: Duration = Duration::from_secs(4);

    pub(crate) fn new(cluster: &Cluster, proxies: &[&Proxy], has_sink: bool) -> Self {
        let addresses: Vec<_> = proxies.iter().map(|proxy| proxy.address()).collect();
        Self { proxy: addresses.join(","), site: cluster.site().clone(), has_sink }
    }

    /// Returns the access through the first proxy alone.
    pub(crate) fn through_one_proxy(&self) -> Self {
        let first = self.proxy.split(',').next().unwrap_or_default();
        Self { proxy: first.to_owned(), ..self.clone() }
    }

    pub(crate) fn zookeepers(&self) -> String {
        format!("{}/fluo", self.site.zookeepers)
    }

    pub(crate) async fn connect(&self) -> Instance {
        let proxy = ProxyOptions::new(&self.proxy, self.site.credentials());
        let options = AccumuloOptions::new(proxy, self.zookeepers());
        fluo_accumulo::connect(options.session_timeout(Self::SESSION)).await.unwrap()
    }

    /// Connects, and returns the application with its observers.
    pub(crate) async fn application(&self) -> ApplicationHandle {
        let fluo = self.connect().await;
        let application = shop::application(&fluo);
        if self.has_sink { sink::add(application, &fluo).await } else { application }
    }
}
