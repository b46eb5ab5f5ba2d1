//! An application and its table.

use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, ClientOptions, InstanceExt, Observers, Worker};
use fluo_table::coordination::{Applications, Coordination};
use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{
    Authorizations, Cell, Filter, Instance, Mutation, RowColumn, Scan, Span, Table, TableAdmin,
    Timestamp,
};
use tokio::time::timeout;

use crate::STUCK;
use crate::deferred::after_the_check;
use crate::unused_name::unused_name;
use crate::{EndingApplications, FaultyApplications};

/// An application and its table, on which a test opens clients and workers.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The tables of the instance.
    pub tables: Arc<dyn TableAdmin>,
    /// The name of the application and of its table.
    pub name: String,
    /// A handle without authorizations.
    pub table: Arc<dyn Table>,
    /// The coordination of the application.
    pub coordination: Arc<dyn Coordination>,
    /// The observers of the application.
    pub observers: Observers,
    applications: EndingApplications,
}

impl Fixture {
    /// Creates the application `web` in the memory of this process.
    pub async fn in_memory() -> Self {
        Self::observed_in_memory(Observers::new()).await
    }

    /// Creates the application `web` with observers in the memory of this process.
    pub async fn observed_in_memory(observers: Observers) -> Self {
        Self::named(&Instance::in_memory(), "web", observers).await
    }

    /// Creates an application with an unused name.
    pub async fn new(instance: &Instance) -> Self {
        Self::observed(instance, &Observers::new()).await
    }

    /// Creates an application with observers and an unused name.
    pub async fn observed(instance: &Instance, observers: &Observers) -> Self {
        Self::named(instance, &unused_name("scenario"), observers.clone()).await
    }

    /// Creates an application with observers.
    pub async fn named(instance: &Instance, name: &str, observers: Observers) -> Self {
        let tables = instance.table_admin().clone();
        let applications = EndingApplications::new(instance.applications().clone());
        let fluo = Instance::new(tables.clone(), Arc::new(applications.clone()));
        let application = fluo.application(name).observers(&observers);
        application.initialize().await.unwrap();
        let (made, made_name) = (tables.clone(), name.to_owned());
        after_the_check(async move { made.delete_table(&made_name).await });
        let table = tables.open_table(name, Authorizations::none());
        let table = table.await.unwrap();
        let coordination = applications.open(name).await.unwrap();
        Self { tables, name: name.to_owned(), table, coordination, observers, applications }
    }

    /// Opens a client with the default options.
    pub async fn client(&self) -> Client {
        self.client_on(self.table.clone()).await
    }

    /// Opens a client with the default options, and returns it with the application.
    pub async fn with_client(self) -> (Self, Client) {
        let client = self.client().await;
        (self, client)
    }

    /// Opens a client with the default options on a handle of the table.
    pub async fn client_on(&self, table: Arc<dyn Table>) -> Client {
        self.client_of(table, ClientOptions::new()).await
    }

    /// Opens a client on a handle of the table. It has the observers of the application.
    pub async fn client_of(&self, table: Arc<dyn Table>, options: ClientOptions) -> Client {
        let client = Client::open(table, self.coordination.clone(), options);
        client.await.unwrap().with_observers(self.observers.clone())
    }

    /// Opens a client whose calls of the coordination are listed, and fail where a test plans a
    /// fault.
    pub async fn faulty_client(&self) -> (Client, FaultyApplications) {
        let faulty = FaultyApplications::new(Arc::new(self.applications.clone()));
        let coordination = faulty.open(&self.name).await.unwrap();
        let options = ClientOptions::new();
        let client = Client::open(self.table.clone(), coordination, options);
        (client.await.unwrap(), faulty)
    }

    /// Opens a client, and starts a worker of it.
    pub async fn start(&self) -> (Client, Worker) {
        let client = self.client().await;
        let worker = client.worker().start().await.unwrap();
        (client, worker)
    }

    /// Ends the session of a live client, as a pause of its process does.
    pub async fn end_session(&self, client: &Client) {
        let transactor = client.transactor();
        let ended = self.applications.end_transactor(&self.name, transactor);
        assert!(ended.await, "{transactor} was not alive");
        // The client may have a new session by now.
        assert!(!self.coordination.is_alive(transactor).await.unwrap());
    }

    /// Checks whether the session of a client is open.
    pub async fn is_alive(&self, client: &Client) -> bool {
        let transactor = client.transactor();
        self.coordination.is_alive(transactor).await.unwrap()
    }

    /// Deletes the table, before the end of a scenario, which would delete it.
    pub async fn end(self) {
        self.tables.delete_table(&self.name).await.unwrap();
    }

    /// Writes entries without a transaction.
    pub async fn write(&self, mutations: Vec<Mutation>) {
        self.table.write(mutations).await.unwrap();
    }

    /// Returns all entries of the table.
    pub async fn cells(&self) -> Vec<Cell> {
        self.table.read(Scan::over(Span::all())).await.unwrap()
    }

    /// Returns the number of notifications in the table.
    pub async fn notifications(&self) -> usize {
        self.read(Filter::Notifications { share: None }).await.len()
    }

    /// Waits until no cell is locked. Clients roll committed transactions forward in the
    /// background.
    ///
    /// # Panics
    ///
    /// A lock stays.
    pub async fn wait_until_unlocked(&self) {
        let unlocked = async {
            while !self.locked().await.is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        if timeout(STUCK, unlocked).await.is_err() {
            panic!("locks stay: {:?}", self.locked().await);
        }
    }

    /// Returns the cells that are locked for writing or for reading.
    pub async fn locked(&self) -> Vec<RowColumn> {
        locked(&*self.table).await
    }

    async fn read(&self, filter: Filter) -> Vec<Cell> {
        read(&*self.table, filter).await
    }
}

/// Returns the cells of a table that are locked for writing or for reading.
pub async fn locked(table: &dyn Table) -> Vec<RowColumn> {
    let is_lock = |cell: &Cell| {
        let stamp = EntryTimestamp::decode(cell.key.timestamp);
        stamp.unwrap().kind == EntryKind::Lock
    };
    let mut found = read(table, Filter::Snapshot { at: Timestamp::MAX }).await;
    found.retain(is_lock);
    found.extend(read(table, Filter::OpenReadLocks).await);
    let place = |cell: Cell| RowColumn::new(cell.key.row, cell.key.column);
    found.into_iter().map(place).collect()
}

async fn read(table: &dyn Table, filter: Filter) -> Vec<Cell> {
    let all = Scan::over(Span::all()).filter(filter);
    table.read(all).await.unwrap()
}
