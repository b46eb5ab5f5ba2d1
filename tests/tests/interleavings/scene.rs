//! The table that the transactions of one schedule work on.

use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, ClientOptions, OwnedTransaction, Snapshot};
use fluo_table::coordination::MemoryApplications;
use fluo_table::{Column, Instance, MemoryTables};
use fluo_tests::shop::number;
use fluo_tests::{FaultyTables, Fixture, Intercepted};

use super::gate::Gate;
use super::gated::Gated;

/// Longer than all steps of a schedule together, at a millisecond a step. A transaction that waits
/// for a lock reads it again only when the scheduler lets time pass.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(10);

/// A table with some cells, and a client for each transaction.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) gate: Gate,
    pub(crate) clients: Vec<Client>,
    pub(crate) fixture: Fixture,
}

impl Scene {
    /// Creates a table whose handles write rows [together](fluo_table::Table::together), or do not.
    pub(crate) async fn new(
        is_together: bool,
        transactions: usize,
        cells: &[(&'static str, i64)],
    ) -> Self {
        let tables = FaultyTables::new(Arc::new(MemoryTables::new()));
        let tables = match is_together {
            true => tables,
            false => tables.row_by_row(),
        };
        let applications = Arc::new(MemoryApplications::new());
        let instance = Instance::new(Arc::new(tables), applications);
        let fixture = Fixture::new(&instance).await;
        let gate = Gate::default();
        gate.open();
        let mut clients = Vec::new();
        for transaction in 0..=transactions {
            let gate = gate.clone();
            let hooks = Gated { gate, transaction };
            let table = Arc::new(Intercepted::with_hooks(fixture.table.clone(), hooks.clone()));
            let coordination = Intercepted::with_hooks(fixture.coordination.clone(), hooks);
            let coordination = Arc::new(coordination);
            let options = ClientOptions::new()
                .first_pause(LOCK_WAIT)
                .max_pause(LOCK_WAIT)
                .rollback_after(LOCK_WAIT * 100)
                .max_elapsed(LOCK_WAIT * 100)
                .horizon_period(LOCK_WAIT * 1_000)
                .max_transaction_age(LOCK_WAIT * 1_000);
            let client = Client::open(table, coordination, options).await.unwrap();
            // A snapshot does the work of a client's first use before the schedule begins.
            drop(client.snapshot().await.unwrap());
            clients.push(client);
        }
        let tx = clients[transactions].begin().await.unwrap();
        for (row, number) in cells {
            set(&tx, row, *number);
        }
        tx.commit().await.unwrap();
        gate.close();
        Self { gate, clients, fixture }
    }

    /// Returns a client that belongs to none of the transactions.
    pub(crate) fn observer(&self) -> Client {
        self.clients.last().unwrap().clone()
    }
}

pub(crate) fn column() -> Column {
    Column::new("f", "q")
}

pub(crate) async fn get(snapshot: &Snapshot, row: &'static str) -> i64 {
    number(snapshot.get(row, &column()).await.unwrap())
}

pub(crate) fn set(tx: &OwnedTransaction, row: &'static str, number: i64) {
    tx.set(row, &column(), number.to_string()).unwrap();
}
