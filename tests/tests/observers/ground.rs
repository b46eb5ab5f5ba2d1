//! An application with observers, on a table in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo::{Client, ClientOptions, Observers, Worker, WorkerOptions};
use fluo_table::coordination::{Application, Applications, Coordination, MemoryApplications};
use fluo_table::{
    Authorizations, Filter, MemoryTables, Scan, Span, Table, TableAdmin, TableExt, Versions,
};
use fluo_tests::Call;
pub(crate) use fluo_tests::scenarios::observed::{
    column, copies, idle, number, read, read_now, set,
};

/// An application, its table and its coordination.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
    pub(crate) applications: MemoryApplications,
    pub(crate) observers: Observers,
}

impl Ground {
    pub(crate) async fn new(observers: Observers) -> Self {
        let tables = MemoryTables::new();
        tables.create_table("t", Versions::All).await.unwrap();
        let table = tables
            .open_table("t", Authorizations::none())
            .await
            .unwrap();
        let applications = MemoryApplications::new();
        let application = Application {
            id: "7b5e9a39".to_owned(),
            table: "t".to_owned(),
            observers: observers.observed_columns(),
            settings: BTreeMap::new(),
        };
        applications.initialize("app", application).await.unwrap();
        let coordination = applications.open("app").await.unwrap();
        Self {
            table,
            coordination,
            applications,
            observers,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        self.client_on(self.table.clone()).await
    }

    pub(crate) async fn client_on(&self, table: Arc<dyn Table>) -> Client {
        let options = ClientOptions::new();
        Client::open(table, self.coordination.clone(), options)
            .await
            .unwrap()
    }

    /// Opens a client, and starts a worker of it.
    pub(crate) async fn start(&self) -> (Client, Worker) {
        let client = self.client().await;
        let worker = self.worker(&client, WorkerOptions::new()).await;
        (client, worker)
    }

    pub(crate) async fn worker(&self, client: &Client, options: WorkerOptions) -> Worker {
        Worker::start(client, self.observers.clone(), options)
            .await
            .unwrap()
    }

    /// Returns the number of notifications in the table.
    pub(crate) async fn notifications(&self) -> usize {
        let filter = Filter::Notifications { share: None };
        let scan = Scan::over(Span::all()).filter(filter);
        self.table.read(scan).await.unwrap().len()
    }
}

/// Returns `true` for a scan for notifications.
pub(crate) fn is_look(call: &Call) -> bool {
    matches!(call, Call::Scan(scan) if scan.columns().iter().any(|column| column.family == "ntfy"))
}
