//! The application of this test, its address, and the credentials of a client.

use std::path::PathBuf;
use std::time::Duration;

use fluo_accumulo::{AccumuloOptions, ProxyOptions};
use fluo_cluster::{Cluster, Proxy, Site};
use fluo_engine::ApplicationHandle;
use fluo_table::Instance;
use fluo_tests::shop;
use serde::{Deserialize, Serialize};

use crate::crew::Build;
use crate::sink;

/// The addresses and the credentials of a process, and what its observers need.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Access {
    /// The addresses of the proxies, separated by commas. An earlier build reads only one.
    proxy: String,
    site: Site,
    /// The file that makes observers reject some orders while it exists, or `None` if the
    /// application has only the observers that a worker of Java runs too.
    pub(crate) gate: Option<PathBuf>,
    /// The build of the process.
    pub(crate) build: Build,
}

impl Access {
    /// A short session timeout, so that the others soon go on after a kill.
    pub(crate) const SESSION: Duration = Duration::from_secs(4);

    pub(crate) fn new(cluster: &Cluster, proxies: &[&Proxy], gate: Option<PathBuf>) -> Self {
        let addresses: Vec<_> = proxies.iter().map(|proxy| proxy.address()).collect();
        let site = cluster.site().clone();
        Self { proxy: addresses.join(","), site, gate, build: Build::New }
    }

    /// Returns the access of a process of a build.
    pub(crate) fn for_build(&self, build: Build) -> Self {
        let proxy = match build {
            Build::Old => self.proxy.split(',').next().unwrap_or_default(),
            Build::New => &self.proxy,
        };
        Self { proxy: proxy.to_owned(), build, ..self.clone() }
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
        sink::add(shop::application(&fluo), &fluo, self).await
    }
}
