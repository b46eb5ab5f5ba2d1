//! A ZooKeeper with the settings of the page and an Accumulo instance, and its clients.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use fluo_accumulo::{
    AccumuloOptions, ClientCertificate, OracleOptions, TlsCertificates, ZooKeeperOptions,
};
use fluo_cluster::{ZooKeeperServer, wanted};
use zookeeper_client::{Acls, Client, CreateMode};

use crate::fake::{Answer, Fake, Request};
use crate::files::write;
use crate::interface as wire;
use crate::recipe::{PASSWORD, block};

pub(crate) const NAME: &str = "web";
pub(crate) const TABLE: &str = "pages";
/// Longer than a server takes to restart on a busy machine.
const SESSION: Duration = Duration::from_secs(600);

/// A ZooKeeper, and a proxy with one table.
pub(crate) struct Ground {
    pub(crate) server: ZooKeeperServer,
    proxy: Fake,
}

/// The protection of a client.
#[derive(Clone)]
pub(crate) struct Protection {
    /// The name of the file of authorities, with TLS.
    pub(crate) authorities: Option<&'static str>,
    pub(crate) has_certificate: bool,
    pub(crate) password: Option<&'static str>,
}

/// The protection that the server requires.
pub(crate) const RIGHT: Protection =
    Protection { authorities: Some("ca.pem"), has_certificate: true, password: Some(PASSWORD) };

impl Ground {
    /// Starts a server and a proxy, or returns `None` if live tests are not wanted.
    pub(crate) async fn new() -> Option<Self> {
        let ground = Self::start(write).await?;
        ground.create_instance();
        Some(ground)
    }

    /// Does the same with a server that accepts every client.
    pub(crate) async fn open_to_all() -> Option<Self> {
        let ground = Self::start(|folder| {
            let (options, lines) = write(folder)?;
            let lines = lines.lines().filter(|line| !line.to_lowercase().contains("auth"));
            Ok((options, lines.collect::<Vec<_>>().join("\n")))
        });
        let ground = ground.await?;
        let client = Client::connect(&ground.server.plain()).await.unwrap();
        let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
        client.mkdir("/accumulo/instances", &options).await.unwrap();
        client.create("/accumulo/instances/fluo", b"instance-1", &options).await.unwrap();
        Some(ground)
    }

    async fn start(write: impl Fn(&Path) -> io::Result<(Vec<String>, String)>) -> Option<Self> {
        if !wanted() {
            return None;
        }
        let server = ZooKeeperServer::start(write).unwrap();
        Some(Self { server, proxy: Fake::start(answer).await })
    }

    /// Returns the certificates of a client with TLS.
    pub(crate) fn certificates(&self, protection: &Protection) -> Option<TlsCertificates> {
        let read = |name| fs::read(self.server.folder().join(name)).unwrap();
        let (authorities, own) = (read(protection.authorities?), read("client.pem"));
        let own = ClientCertificate { chain_pem: &own, key_pem: &own };
        let own = protection.has_certificate.then_some(own);
        Some(TlsCertificates::new(&authorities, own).unwrap())
    }

    pub(crate) fn zookeeper(&self, protection: &Protection) -> ZooKeeperOptions {
        self.zookeeper_at("/fluo", protection)
    }

    /// Returns the options of a client whose applications are below a path.
    pub(crate) fn zookeeper_at(&self, path: &str, protection: &Protection) -> ZooKeeperOptions {
        let options = ZooKeeperOptions::new(match protection.authorities {
            Some(_) => format!("{}{path}", self.server.secure()),
            // After the address of a server that is down.
            None => format!("localhost:1,{}{path}", self.server.plain()),
        });
        let tls = self.certificates(protection).into_iter();
        let options = tls.fold(options, ZooKeeperOptions::tls).session_timeout(SESSION);
        match protection.password {
            Some(password) => options.sasl("fluo", password),
            None => options,
        }
    }

    pub(crate) fn options(&self, protection: &Protection) -> AccumuloOptions {
        self.options_with(self.zookeeper(protection))
    }

    pub(crate) fn options_with(&self, zookeeper: ZooKeeperOptions) -> AccumuloOptions {
        AccumuloOptions::new(self.proxy.settings(), zookeeper)
    }

    pub(crate) fn oracle(&self, protection: &Protection) -> OracleOptions {
        OracleOptions::new(self.zookeeper(protection), NAME).unwrap().host("localhost")
    }

    /// Creates the nodes of an instance, with the Java client and its settings on the page.
    fn create_instance(&self) {
        for (path, data) in [
            ("/accumulo", ""),
            ("/accumulo/instances", ""),
            ("/accumulo/instances/fluo", "instance-1"),
        ] {
            let options = block("-Dzookeeper.client.secure", self.server.folder());
            let options: Vec<_> = options.lines().map(str::to_owned).collect();
            let mut java =
                self.server.java(&options, "org.apache.zookeeper.ZooKeeperMain").unwrap();
            java.args(["-server", &self.server.secure(), "create", path, data]);
            let output = java.output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            assert!(text.contains(&format!("Created {path}")), "{text}");
        }
    }
}

fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "tableIdMap" => {
            let ids = BTreeMap::from([(TABLE.to_owned(), "1".to_owned())]);
            Answer::result::<wire::TableIdMap>(ids)
        }
        _ => Answer::Refuse(1, "Invalid method name"),
    }
}
