//! An application with observers, on a table that records writes.

use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, ClientOptions, Observers, OwnedTransaction, observer_fn};
use fluo_table::coordination::MemoryApplications;
use fluo_table::{Column, Error, Instance, MemoryTables, TableAdmin};
use fluo_tests::{FaultyTables, Fixture, Intercepted};

use crate::stepping::{Stepping, SteppingTable};
use crate::{is_on_the_page, part_is_on_the_page};

/// An application, and a handle of its table that records writes.
pub(crate) struct Recorded {
    pub(crate) table: Arc<SteppingTable>,
    pub(crate) fixture: Fixture,
}

impl Recorded {
    /// Creates an application on a table that writes each row by itself, like a table on many
    /// servers.
    pub(crate) async fn new() -> Self {
        let tables = FaultyTables::new(Arc::new(MemoryTables::new()));
        Self::on(tables.row_by_row().local()).await
    }

    /// Creates an application on a table that writes rows together.
    pub(crate) async fn together() -> Self {
        Self::on(MemoryTables::new()).await
    }

    async fn on(tables: impl TableAdmin + 'static) -> Self {
        let nothing = || observer_fn(async |_, _, _| Ok::<_, Error>(()));
        let observers = Observers::new()
            .strong(text(), "text", nothing())
            .and_then(|strong| strong.weak(links(), "links", nothing()));
        let applications = Arc::new(MemoryApplications::new());
        let instance = Instance::new(Arc::new(tables), applications);
        let fixture = Fixture::observed(&instance, &observers.unwrap()).await;
        let hooks = Stepping::new(fixture.table.clone());
        let table = Intercepted::with_hooks(fixture.table.clone(), hooks);
        Self { table: Arc::new(table), fixture }
    }

    /// Opens a client that requests timestamps only for the operations of a test.
    pub(crate) async fn client(&self) -> Client {
        let options = ClientOptions::new().horizon_period(Duration::from_secs(36_000));
        self.fixture.client_of(self.table.clone(), options).await
    }

    /// Takes the recorded notes, and checks that the page shows them.
    pub(crate) async fn is_on_the_page(&self, name: &str) {
        is_on_the_page(name, &self.table.hooks().take_notes().await);
    }

    /// Takes the recorded notes, and checks that the page shows a part of them.
    pub(crate) async fn part_is_on_the_page(&self, name: &str) {
        part_is_on_the_page(name, &self.table.hooks().take_notes().await);
    }
}

pub(crate) fn balance() -> Column {
    Column::new("account", "balance")
}

/// Returns the column with the strong observer.
pub(crate) fn text() -> Column {
    Column::new("page", "text")
}

/// Returns the column with the weak observer.
pub(crate) fn links() -> Column {
    Column::new("page", "links")
}

/// Begins a transaction that writes three rows and reads a fourth one under a lock. Its primary is
/// alice.
pub(crate) async fn transfer(client: &Client) -> OwnedTransaction {
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "30").unwrap();
    tx.set("bob", &balance(), "70").unwrap();
    tx.delete("carol", &balance()).unwrap();
    tx.with_read_lock().get("dave", &balance()).await.unwrap();
    tx
}
