//! The class path of an application: when it is set and removed, and what the servers load from it.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accumulo_proxy::Credentials;
use fluo_accumulo::{AccumuloTables, IteratorBuild};
use fluo_engine::{ApplicationHandle, InstanceExt};
use fluo_table::coordination::{Applications, MemoryApplications};
use fluo_table::table::property::CLASS_PATH;
use fluo_table::{Error, ErrorKind, Instance};
use tokio::time;

use crate::fake::{Answer, Fake, Request, until};
use crate::interface as wire;
use crate::servers::{NEW, OLD, Servers as Generation};

const SYSTEM: &str = "general.vfs.context.classpath.fluo-web";
const JARS: [&str; 2] =
    ["hdfs://host:8020/fluo-accumulo-1.2.0.jar", "hdfs://host:8020/fluo-api-1.2.0.jar"];

/// Servers that have their iterators in the jars of class paths only.
struct Servers {
    /// The changes that matter here, in order.
    changes: Vec<String>,
    system: BTreeMap<String, String>,
    tables: BTreeMap<String, BTreeMap<String, String>>,
    generation: Generation,
    /// The classes of Fluo in the jars.
    classes: &'static [&'static str],
    /// A server has not received the class path when it is asked for the first time.
    is_late: bool,
}

/// Hides the id of the application in the name of the table of a check.
fn shown(table: &str) -> &str {
    if table.starts_with("web_") { "probe" } else { table }
}

impl Servers {
    fn answer(&mut self, request: &Request) -> Answer {
        let text = |text: Option<String>| text.unwrap();
        match request.call.as_str() {
            "tableIdMap" => {
                let ids = self.tables.keys().map(|name| (name.clone(), name.clone())).collect();
                Answer::result::<wire::TableIdMap>(ids)
            }
            "createTable" => {
                let name = text(request.read::<wire::CreateTable>().table_name);
                self.changes.push(format!("create {}", shown(&name)));
                self.tables.insert(name, BTreeMap::new());
                Answer::result::<wire::CreateTable>(())
            }
            "deleteTable" => {
                let name = text(request.read::<wire::DeleteTable>().table_name);
                self.changes.push(format!("delete {}", shown(&name)));
                self.tables.remove(&name);
                Answer::result::<wire::DeleteTable>(())
            }
            "getTableProperties" => {
                let name = text(request.read::<wire::GetTableProperties>().table_name);
                Answer::result::<wire::GetTableProperties>(self.tables[&name].clone())
            }
            "setTableProperty" => {
                let set: wire::SetTableProperty = request.read();
                let (property, value) = (text(set.property), text(set.value));
                if property == CLASS_PATH {
                    let table = shown(set.table_name.as_ref().unwrap());
                    self.changes.push(format!("{table} uses {value}"));
                }
                let properties = self.tables.get_mut(&text(set.table_name)).unwrap();
                properties.insert(property, value);
                Answer::result::<wire::SetTableProperty>(())
            }
            "getSystemConfiguration" => {
                Answer::result::<wire::GetSystemConfiguration>(self.system.clone())
            }
            "setProperty" => {
                let set: wire::SetProperty = request.read();
                let (property, value) = (text(set.property), text(set.value));
                self.changes.push(format!("{property}={value}"));
                self.system.insert(property, value);
                Answer::result::<wire::SetProperty>(())
            }
            "removeProperty" => {
                let property = text(request.read::<wire::RemoveProperty>().property);
                self.changes.push(format!("no {property}"));
                self.system.remove(&property);
                Answer::result::<wire::RemoveProperty>(())
            }
            "testTableClassLoad" => {
                let class = text(request.read::<wire::TestTableClassLoad>().class_name);
                let is_late = std::mem::take(&mut self.is_late);
                let loads = !is_late && self.classes.iter().any(|known| class.ends_with(known));
                Answer::result::<wire::TestTableClassLoad>(loads)
            }
            _ => self.generation.answer(request),
        }
    }
}

/// The classes of the published jars that a check asks for.
const ITERATORS: [&str; 1] = ["SnapshotIterator"];

struct Ground {
    servers: Arc<Mutex<Servers>>,
    instance: Instance,
    web: ApplicationHandle,
    applications: MemoryApplications,
    fake: Fake,
}

impl Ground {
    async fn new(classes: &'static [&'static str]) -> Self {
        Self::of(OLD, IteratorBuild::ForAccumulo1, classes).await
    }

    async fn of(
        generation: Generation,
        build: IteratorBuild,
        classes: &'static [&'static str],
    ) -> Self {
        let servers = Servers {
            changes: Vec::new(),
            system: BTreeMap::new(),
            tables: BTreeMap::new(),
            generation,
            classes,
            is_late: true,
        };
        let servers = Arc::new(Mutex::new(servers));
        let answering = Arc::clone(&servers);
        let fake = Fake::start(move |request| answering.lock().unwrap().answer(request)).await;
        let mut settings = fake.settings();
        if generation.takes_secret {
            fake.forget_login();
            settings = settings.credentials(Credentials::shared_secret("secret"));
        }
        let tables = AccumuloTables::connect(settings).await.unwrap().iterator_build(build);
        let applications = MemoryApplications::new();
        let instance = Instance::new(Arc::new(tables), Arc::new(applications.clone()));
        let web = instance.application("web").jars(JARS);
        Self { servers, instance, web, applications, fake }
    }

    /// Creates the application with jars that lack a class, and returns the error.
    async fn refused(&self) -> Error {
        let before = self.fake.count("testTableClassLoad");
        let wait = async {
            until("a check", || self.fake.count("testTableClassLoad") > before + 1).await;
            time::pause();
            time::advance(Duration::from_secs(31)).await;
            time::resume();
            pending().await
        };
        let refused = tokio::select! {
            refused = self.web.initialize() => refused,
            refused = wait => refused,
        };
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error
    }

    fn has(&self, table: &str, class_path: &str) {
        let uses = BTreeMap::from([(CLASS_PATH.to_owned(), class_path.to_owned())]);
        self.servers.lock().unwrap().tables.insert(table.to_owned(), uses);
    }

    fn changes(&self) -> Vec<String> {
        std::mem::take(&mut self.servers.lock().unwrap().changes)
    }
}

fn set() -> String {
    format!("{SYSTEM}={}", JARS.join(","))
}

/// The changes of a check of the jars.
fn check() -> [String; 4] {
    [set(), "create probe".to_owned(), "probe uses fluo-web".to_owned(), "delete probe".to_owned()]
}

#[tokio::test]
async fn the_jars_are_checked_before_the_table_and_removed_after_it() {
    let ground = Ground::new(&ITERATORS).await;
    ground.web.initialize().await.unwrap();
    let made = ["create web".to_owned(), "web uses fluo-web".to_owned()];
    assert_eq!(ground.changes(), [&check()[..], &made].concat());
    ground.web.clone().clear(true).initialize().await.unwrap();
    let deleted = ["delete web".to_owned()];
    assert_eq!(ground.changes(), [&check()[..], &deleted, &made].concat());
    ground.web.remove().await.unwrap();
    assert_eq!(ground.changes(), ["delete web".to_owned(), format!("no {SYSTEM}")]);
}

/// Covers a bug: with `clear` the old application was deleted before its jars were checked, and
/// the jars that failed stayed.
#[tokio::test]
async fn jars_without_the_iterators_change_nothing() {
    let mut ground = Ground::new(&[]).await;
    let message = "the servers cannot load `org.apache.fluo.accumulo.iterators.SnapshotIterator` from the class path of \
                   the table; name fluo-accumulo and fluo-api 1.2.0";
    assert_eq!(ground.refused().await.to_string(), message);
    assert!(ground.applications.list().await.unwrap().is_empty());
    {
        let servers = ground.servers.lock().unwrap();
        assert!(servers.system.is_empty() && servers.tables.is_empty());
    }
    ground.servers.lock().unwrap().classes = &ITERATORS;
    ground.web.initialize().await.unwrap();
    ground.servers.lock().unwrap().classes = &[];
    ground.web = ground.web.clone().clear(true).jars(["file:///other.jar"]);
    assert_eq!(ground.refused().await.to_string(), message);
    assert_eq!(ground.applications.list().await.unwrap(), ["web"]);
    let servers = ground.servers.lock().unwrap();
    assert_eq!(servers.system[SYSTEM], JARS.join(","));
    assert_eq!(servers.tables.keys().collect::<Vec<_>>(), ["web"]);
}

/// Covers a bug: the published jars, which halt tablet servers of 2.x, passed the check of a table.
#[tokio::test]
async fn jars_for_1_are_refused_on_2() {
    let ground = Ground::of(NEW, IteratorBuild::ForAccumulo2, &ITERATORS).await;
    ground.servers.lock().unwrap().generation.has_iterators = false;
    let message = "the servers cannot load `org.apache.fluo.accumulo.summarizer.FluoSummarizer` from the class path of \
                   the table; name fluo-accumulo and fluo-api 2.1.0-SNAPSHOT";
    assert_eq!(ground.refused().await.to_string(), message);
    ground.servers.lock().unwrap().classes = &["SnapshotIterator", "FluoSummarizer"];
    ground.web.initialize().await.unwrap();
}

/// An application of the same name below another node of ZooKeeper has the same class path.
#[tokio::test]
async fn the_class_path_of_another_table_stays() {
    let ground = Ground::new(&ITERATORS).await;
    ground.web.initialize().await.unwrap();
    ground.has("other", "fluo-web");
    ground.web.remove().await.unwrap();
    assert_eq!(ground.servers.lock().unwrap().system.len(), 1);
}

/// Covers a bug: a second application of the same name replaced the jars of the first one.
#[tokio::test]
async fn other_jars_than_those_of_another_table_are_refused() {
    let ground = Ground::new(&ITERATORS).await;
    ground.has("other", "fluo-web");
    ground.servers.lock().unwrap().system.insert(SYSTEM.to_owned(), "file:///a.jar".to_owned());
    let error = ground.web.initialize().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let message = "table `other` uses the class path `fluo-web` with other jars; use the same jars, or another name";
    assert_eq!(error.to_string(), message);
    assert!(ground.changes().is_empty());
    ground.has("other", "fluo-other");
    ground.web.initialize().await.unwrap();
    assert_eq!(ground.servers.lock().unwrap().system[SYSTEM], JARS.join(","));
}

#[tokio::test]
async fn an_application_without_jars_removes_a_class_path_that_no_table_uses() {
    let mut ground = Ground::new(&ITERATORS).await;
    ground.servers.lock().unwrap().system.insert(SYSTEM.to_owned(), "file:///a.jar".to_owned());
    ground.web = ground.instance.application("web");
    ground.web.initialize().await.unwrap();
    assert_eq!(ground.changes(), [format!("no {SYSTEM}"), "create web".to_owned()]);
}
