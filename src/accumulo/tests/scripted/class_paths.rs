//! The class path of an application: when it is set and removed, and what the servers load from it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fluo_accumulo::AccumuloTables;
use fluo_engine::{ApplicationHandle, InstanceExt};
use fluo_table::coordination::{Applications, MemoryApplications};
use fluo_table::table::property::CLASS_PATH;
use fluo_table::{ErrorKind, Instance};

use crate::fake::{Answer, Fake, Request};
use crate::interface as wire;
use crate::servers::OLD;

const SYSTEM: &str = "general.vfs.context.classpath.fluo-web";
const JARS: [&str; 2] =
    ["hdfs://host:8020/fluo-accumulo-1.2.0.jar", "hdfs://host:8020/fluo-api-1.2.0.jar"];

/// Servers that have their iterators in the jars of class paths only.
#[derive(Default)]
struct Servers {
    /// The changes that matter here, in order.
    changes: Vec<String>,
    system: BTreeMap<String, String>,
    tables: BTreeMap<String, BTreeMap<String, String>>,
    jars_have_iterators: bool,
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
                self.changes.push(format!("create {name}"));
                self.tables.insert(name, BTreeMap::new());
                Answer::result::<wire::CreateTable>(())
            }
            "deleteTable" => {
                let name = text(request.read::<wire::DeleteTable>().table_name);
                self.changes.push(format!("delete {name}"));
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
                    self.changes.push(format!("{property}={value}"));
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
                Answer::result::<wire::TestTableClassLoad>(self.jars_have_iterators)
            }
            _ => OLD.answer(request),
        }
    }
}

struct Ground {
    servers: Arc<Mutex<Servers>>,
    web: ApplicationHandle,
    applications: MemoryApplications,
    _fake: Fake,
}

impl Ground {
    async fn new(jars_have_iterators: bool) -> Self {
        let servers = Servers { jars_have_iterators, ..Servers::default() };
        let servers = Arc::new(Mutex::new(servers));
        let answering = Arc::clone(&servers);
        let fake = Fake::start(move |request| answering.lock().unwrap().answer(request)).await;
        let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
        let applications = MemoryApplications::new();
        let instance = Instance::new(Arc::new(tables), Arc::new(applications.clone()));
        let web = instance.application("web").jars(JARS);
        Self { servers, web, applications, _fake: fake }
    }

    fn changes(&self) -> Vec<String> {
        std::mem::take(&mut self.servers.lock().unwrap().changes)
    }
}

fn set() -> String {
    format!("{SYSTEM}={}", JARS.join(","))
}

#[tokio::test]
async fn the_class_path_exists_before_its_table_and_ends_after_it() {
    let ground = Ground::new(true).await;
    ground.web.initialize().await.unwrap();
    let made = [set(), "create web".to_owned(), format!("{CLASS_PATH}=fluo-web")];
    assert_eq!(ground.changes(), made);
    // A table that replaces another one gets the new jars.
    ground.web.clone().clear(true).initialize().await.unwrap();
    let [set, create, uses] = made;
    assert_eq!(ground.changes(), [set, "delete web".to_owned(), create, uses]);
    ground.web.remove().await.unwrap();
    assert_eq!(ground.changes(), ["delete web".to_owned(), format!("no {SYSTEM}")]);
}

#[tokio::test]
async fn a_class_path_without_the_iterators_leaves_nothing_behind() {
    let ground = Ground::new(false).await;
    let error = ground.web.initialize().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let message = "the servers cannot load `org.apache.fluo.accumulo.iterators.SnapshotIterator` from \
                   `hdfs://host:8020/fluo-accumulo-1.2.0.jar,hdfs://host:8020/fluo-api-1.2.0.jar`; name the jars \
                   fluo-accumulo and fluo-api";
    assert_eq!(error.to_string(), message);
    assert!(ground.applications.list().await.unwrap().is_empty());
    let servers = ground.servers.lock().unwrap();
    assert!(servers.system.is_empty() && servers.tables.is_empty());
}

/// An application of the same name below another node of ZooKeeper has the same class path.
#[tokio::test]
async fn the_class_path_of_another_table_stays() {
    let ground = Ground::new(true).await;
    ground.web.initialize().await.unwrap();
    let uses = BTreeMap::from([(CLASS_PATH.to_owned(), "fluo-web".to_owned())]);
    ground.servers.lock().unwrap().tables.insert("other".to_owned(), uses);
    ground.web.remove().await.unwrap();
    assert_eq!(ground.servers.lock().unwrap().system.len(), 1);
}
