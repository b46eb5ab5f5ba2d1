//! An application on the cluster, with its oracle in this process.

use fluo_accumulo::{AccumuloOptions, Oracle, OracleOptions, ProxyOptions};
use fluo_cluster::Cluster;
use fluo_engine::{ApplicationHandle, Client, InstanceExt};
use fluo_table::{Instance, Span};

const PATH: &str = "/bench";

/// A connection to the cluster, and the address of its applications.
pub(crate) async fn connect(cluster: &Cluster) -> (Instance, String) {
    let proxy = cluster.proxy().unwrap().address();
    let proxy = ProxyOptions::new(proxy, cluster.site().credentials());
    let zookeepers = format!("{}{PATH}", cluster.site().zookeepers);
    let options = AccumuloOptions::new(proxy, &zookeepers);
    let instance = fluo_accumulo::connect(options).await.unwrap();
    (instance, zookeepers)
}

/// An open application.
pub(crate) struct Application {
    pub(crate) client: Client,
    instance: Instance,
    oracle: Oracle,
    name: String,
}

impl Application {
    /// Starts the oracle of an application, and opens the application.
    pub(crate) async fn open(
        instance: Instance,
        zookeepers: &str,
        application: ApplicationHandle,
    ) -> Self {
        let options = OracleOptions::new(zookeepers, application.name()).unwrap();
        let oracle = Oracle::start(options.host("localhost")).await.unwrap();
        Self {
            client: application.open().await.unwrap(),
            instance,
            oracle,
            name: application.name().to_owned(),
        }
    }

    /// Drops the garbage in the table.
    pub(crate) async fn collect_garbage(&self) {
        let tables = self.instance.table_admin();
        let collected = self.client.collect_garbage(&**tables, &Span::all()).await;
        println!("collected garbage below {}", collected.unwrap());
    }

    /// Removes the application and its table.
    pub(crate) async fn end(self) {
        self.client.wait_until_rolled_forward().await;
        drop(self.client);
        let application = self.instance.application(&self.name);
        application.remove().await.unwrap();
        self.oracle.stop().await;
    }
}
