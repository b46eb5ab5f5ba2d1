//! An application with observers, on a table in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fluo_core::coordination::{Application, Applications, Coordination, MemoryApplications};
use fluo_core::{
    Authorizations, Bytes, Client, ClientSettings, Column, Error, Filter, MemoryTables, Observers,
    Scan, Snapshot, Span, Table, TableAdmin, TableExt, Versions, Worker, WorkerSettings,
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
        let settings = ClientSettings::default();
        Client::open(self.table.clone(), self.coordination.clone(), settings)
            .await
            .unwrap()
    }

    /// A client, and a worker of it.
    pub(crate) async fn start(&self) -> (Client, Worker) {
        let client = self.client().await;
        let worker = self.worker(&client, WorkerSettings::default()).await;
        (client, worker)
    }

    pub(crate) async fn worker(&self, client: &Client, settings: WorkerSettings) -> Worker {
        Worker::start(client, self.observers.clone(), settings)
            .await
            .unwrap()
    }

    /// How many notifications are in the table.
    pub(crate) async fn notifications(&self) -> usize {
        let filter = Filter::Notifications { share: None };
        let scan = Scan::over(Span::all()).filter(filter);
        self.table.read(scan).await.unwrap().len()
    }
}

pub(crate) fn column(qualifier: &'static str) -> Column {
    Column::new("f", qualifier)
}

pub(crate) fn number(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| {
        std::str::from_utf8(&value).unwrap().parse().unwrap()
    })
}

pub(crate) async fn read(snapshot: &Snapshot, row: &str, qualifier: &'static str) -> i64 {
    number(
        snapshot
            .get(row.to_owned(), &column(qualifier))
            .await
            .unwrap(),
    )
}

pub(crate) async fn read_now(client: &Client, row: &str, qualifier: &'static str) -> i64 {
    read(&client.snapshot().await.unwrap(), row, qualifier).await
}

pub(crate) async fn set(client: &Client, row: &str, qualifier: &'static str, value: i64) {
    client
        .run(async |tx| tx.set(row.to_owned(), &column(qualifier), value.to_string()))
        .await
        .unwrap();
}

/// Waits until nothing is left to observe, and not for ever.
pub(crate) async fn idle(client: &Client) {
    let waited = tokio::time::timeout(Duration::from_secs(600), client.wait_until_idle()).await;
    waited
        .expect("the application does not become idle")
        .unwrap();
}

/// An observer that writes the value of its cell, changed, to another column of the row.
pub(crate) fn copies(
    to: &'static str,
    change: impl Fn(i64) -> i64 + Clone + Send + Sync + 'static,
) -> impl fluo_core::Observer {
    fluo_core::observer_fn(move |tx: fluo_core::Transaction, row: Bytes, from| {
        let change = change.clone();
        async move {
            let value = number(tx.get(row.clone(), &from).await?);
            tx.set(row, &column(to), change(value).to_string())?;
            Ok::<_, Error>(())
        }
    })
}
