//! A ZooKeeper in memory with an Accumulo instance, and processes that connect to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_accumulo::AccumuloOptions;
use fluo_table::coordination::{Application, Applications, Coordination};
use fluo_zookeeper::{Link, ZooKeeper};
use zookeeper_client::{Acls, Client, CreateMode};

use crate::fake::{Answer, Fake, Gate, Request};
use crate::interface as wire;

pub(crate) const NAME: &str = "web";
pub(crate) const TABLE: &str = "pages";

/// A ZooKeeper, and a proxy with one table.
pub(crate) struct Ground {
    pub(crate) zookeeper: ZooKeeper,
    /// A session of the test.
    pub(crate) client: Client,
    proxy: Fake,
    /// The link of that session.
    _link: Link,
}

/// The view of one process, over a link of its own.
pub(crate) struct Process {
    pub(crate) applications: Arc<dyn Applications>,
    /// Dropped last, so that the session is closed and does not time out.
    pub(crate) link: Link,
}

impl Ground {
    pub(crate) async fn new() -> Self {
        Self::with_proxy(answer).await
    }

    /// Starts with a proxy that holds back the answers to the calls for split points after the
    /// first one, until the gate is closed.
    pub(crate) async fn with_held_splits(gate: &Gate) -> Self {
        let gate = gate.clone();
        Self::with_proxy(move |request| match &*request.call {
            "listSplits" if request.nth > 0 => answer(request).held_by(&gate),
            _ => answer(request),
        })
        .await
    }

    async fn with_proxy(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let zookeeper = ZooKeeper::new();
        let link = zookeeper.link();
        let client = Client::connect(&link.address()).await.unwrap();
        let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
        let instances = "/accumulo/instances";
        client.mkdir(instances, &persistent).await.unwrap();
        let instance = client.create("/accumulo/instances/fluo", b"instance-1", &persistent);
        instance.await.unwrap();
        Self { zookeeper, client, proxy: Fake::start(script).await, _link: link }
    }

    /// Returns the number of calls of the proxy with a name.
    pub(crate) fn calls(&self, name: &str) -> usize {
        self.proxy.count(name)
    }

    /// Connects another process.
    pub(crate) async fn process(&self) -> Process {
        let link = self.zookeeper.link();
        let options = self.options(&link);
        let fluo = fluo_accumulo::connect(options).await.unwrap();
        let applications = fluo.applications().clone();
        Process { applications, link }
    }

    pub(crate) fn options(&self, link: &Link) -> AccumuloOptions {
        let zookeepers = format!("{}/fluo", link.address());
        AccumuloOptions::new(self.proxy.settings(), zookeepers)
    }
}

impl Process {
    /// Initializes the application of the tests, whose workers do not pause.
    pub(crate) async fn initialize(&self) {
        self.initialize_with(&[]).await;
    }

    /// Initializes the application of the tests, whose workers do not pause unless the settings say
    /// so.
    pub(crate) async fn initialize_with(&self, settings: &[(&str, &str)]) {
        let without_pauses = [("fluo.impl.worker.finder.maxSleep", "0")];
        let mut application = Application::new("1", TABLE);
        for (name, value) in without_pauses.iter().chain(settings) {
            application = application.set(*name, *value);
        }
        let initialized = self.applications.initialize(NAME, application);
        initialized.await.unwrap();
    }

    pub(crate) async fn open(&self) -> Arc<dyn Coordination> {
        self.applications.open(NAME).await.unwrap()
    }
}

fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "tableIdMap" => {
            let ids = BTreeMap::from([(TABLE.to_owned(), "1".to_owned())]);
            Answer::result::<wire::TableIdMap>(ids)
        }
        "listSplits" => {
            Answer::result::<wire::ListSplits>(["g", "p"].map(accumulo_proxy::Bytes::from).to_vec())
        }
        _ => Answer::Refuse(1, "Invalid method name"),
    }
}
