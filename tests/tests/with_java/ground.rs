//! The cluster of these tests, and the two sides of an application on it.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fluo_accumulo::{AccumuloOptions, Oracle, OracleOptions, ProxyOptions, ZooKeeperOptions};
use fluo_cluster::{Cluster, JavaPeer, Site};
use fluo_engine::{Client, InstanceExt};
use fluo_table::{Column, Instance};
use serde::{Deserialize, Serialize};
use tokio::task::block_in_place;

/// The path of the applications of all tests.
const CHROOT: &str = "/together";

/// Settings of Java workers, so that they begin after 2 s instead of 60 s, and find notifications
/// soon.
const SETTINGS: [(&str, &str); 3] = [
    ("fluo.impl.worker.finder.minSleep", "200"),
    ("fluo.impl.worker.finder.maxSleep", "2000"),
    ("fluo.worker.num.threads", "4"),
];

/// A session timeout of Java that lets tests go on soon after a kill.
pub(crate) const SHORT_SESSION: (&str, &str) = ("fluo.connection.zookeeper.timeout", "4000");

/// An application that Java and Rust processes use.
pub(crate) struct Together {
    cluster: &'static Cluster,
    pub(crate) name: String,
}

impl Together {
    /// Returns a new application, which is not yet initialized, or `None` if live tests are not
    /// wanted. Accumulo 2.x does not work with the Java client of Fluo 1.2.0.
    pub(crate) fn new(prefix: &str) -> Option<Together> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let cluster = Cluster::if_wanted()?;
        if cluster.secret().is_some() {
            eprintln!("skipped: Fluo 1.2.0 does not work with Accumulo 2.x");
            return None;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Some(Together { cluster, name: format!("{prefix}_{}_{number}", process::id()) })
    }

    fn zookeepers(&self) -> String {
        zookeepers(self.cluster.site())
    }

    /// Starts a process of Java.
    pub(crate) fn java(&self) -> JavaPeer {
        self.java_with(&[])
    }

    /// Starts a process of Java with additional settings.
    pub(crate) fn java_with(&self, settings: &[(&str, &str)]) -> JavaPeer {
        let settings = [&SETTINGS[..], settings].concat();
        JavaPeer::start(self.cluster, &self.zookeepers(), &self.name, &settings).unwrap()
    }

    /// Starts a process of Java that initializes the application, and runs an oracle.
    pub(crate) fn java_with_oracle(&self, settings: &[(&str, &str)]) -> JavaPeer {
        let mut java = self.java_with(settings);
        ask(&mut java, "initialize");
        ask(&mut java, "start-oracle");
        java
    }

    /// Returns what a child process needs to connect.
    pub(crate) fn access(&self) -> Access {
        Access {
            proxy: self.cluster.proxy().unwrap().address(),
            site: self.cluster.site().clone(),
            name: self.name.clone(),
        }
    }

    /// Connects this process.
    pub(crate) async fn rust(&self) -> Instance {
        let options = self.access().options(Duration::from_secs(30));
        fluo_accumulo::connect(options).await.unwrap()
    }

    /// Connects this process, and opens the application.
    pub(crate) async fn client(&self) -> Client {
        self.rust().await.application(&self.name).open().await.unwrap()
    }

    /// Starts an oracle in this process.
    pub(crate) async fn oracle(&self) -> Oracle {
        Oracle::start(self.oracle_options()).await.unwrap()
    }

    pub(crate) fn oracle_options(&self) -> OracleOptions {
        let options = OracleOptions::new(self.zookeepers(), &self.name).unwrap();
        options.host("localhost")
    }
}

/// Returns the address of the applications of all tests.
fn zookeepers(site: &Site) -> String {
    format!("{}{CHROOT}", site.zookeepers)
}

/// The addresses of an application and the credentials of a client.
#[derive(Deserialize, Serialize)]
pub(crate) struct Access {
    proxy: String,
    site: Site,
    pub(crate) name: String,
}

impl Access {
    pub(crate) fn options(&self, session_timeout: Duration) -> AccumuloOptions {
        let proxy = ProxyOptions::new(&self.proxy, self.site.credentials());
        let zookeeper = ZooKeeperOptions::new(zookeepers(&self.site));
        AccumuloOptions::new(proxy, zookeeper.session_timeout(session_timeout))
    }
}

/// Sends a command to a Java process while other tasks of this runtime run.
pub(crate) fn ask(peer: &mut JavaPeer, command: &str) -> String {
    block_in_place(|| peer.ask(command)).unwrap()
}

/// Returns a value as text.
pub(crate) async fn read(client: &Client, row: &str, column: &Column) -> Option<String> {
    let snapshot = client.snapshot().await.unwrap();
    let value = snapshot.get(row.to_owned(), column).await.unwrap()?;
    Some(String::from_utf8(value.to_vec()).unwrap())
}
