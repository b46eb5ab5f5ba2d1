//! An application with observers, on a table that records writes.

use std::sync::Arc;
use std::time::Duration;

use fluo::admin::{Initialization, initialize};
use fluo::{Client, ClientOptions, OwnedTransaction};
use fluo_table::coordination::{
    Applications, Coordination, MemoryApplications, ObservedColumn, ObserverKind,
};
use fluo_table::{Authorizations, Cell, Column, MemoryTables, Scan, Span, TableAdmin, TableExt};
use fluo_tests::{FaultyTables, Intercepted};

use crate::is_on_the_page;
use crate::stepping::{Stepping, SteppingTable};

/// An application, and its table.
pub(crate) struct Ground {
    pub(crate) table: Arc<SteppingTable>,
    coordination: Arc<dyn Coordination>,
}

impl Ground {
    /// Creates an application on a table that writes each row by itself, like a table on many
    /// servers.
    pub(crate) async fn new() -> Self {
        let tables = FaultyTables::new(Arc::new(MemoryTables::new()));
        Self::on(tables.row_by_row()).await
    }

    /// Creates an application on a table that writes rows together.
    pub(crate) async fn together() -> Self {
        Self::on(MemoryTables::new()).await
    }

    async fn on(tables: impl TableAdmin) -> Self {
        let applications = MemoryApplications::new();
        let initialization = Initialization::new("5f0c", "cells")
            .observe(ObservedColumn::new(text(), ObserverKind::Strong, "text"))
            .observe(ObservedColumn::new(links(), ObserverKind::Weak, "links"));
        initialize(&tables, &applications, "golden", initialization)
            .await
            .unwrap();
        let table = tables
            .open_table("cells", Authorizations::none())
            .await
            .unwrap();
        Self {
            table: Arc::new(Intercepted::with_hooks(table.clone(), Stepping::new(table))),
            coordination: applications.open("golden").await.unwrap(),
        }
    }

    /// Opens a client that requests timestamps only for the operations of a test.
    pub(crate) async fn client(&self) -> Client {
        let options = ClientOptions::new().horizon_period(Duration::from_secs(36_000));
        Client::open(self.table.clone(), self.coordination.clone(), options)
            .await
            .unwrap()
    }

    /// Returns all stored cells.
    pub(crate) async fn cells(&self) -> Vec<Cell> {
        self.table.read(Scan::over(Span::all())).await.unwrap()
    }

    /// Takes the recorded notes, and checks that the page shows them.
    pub(crate) async fn is_on_the_page(&self, name: &str) {
        is_on_the_page(name, &self.table.hooks().take_notes().await);
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
