//! The table and the application of one scenario.

use std::sync::Arc;
use std::time::Duration;

use fluo::admin::{Initialization, initialize};
use fluo::{Client, ClientOptions, Observers, Snapshot};
use fluo_table::coordination::{Applications, Coordination};
use fluo_table::{
    Authorizations, Bytes, Cell, Column, Filter, Result, RowColumn, Scan, Span, Table, TableAdmin,
    TableExt, Timestamp,
};

use super::ending::EndingApplications;
use super::instance::Instance;
use crate::FaultyApplications;
use crate::unused_name::unused_name;

/// A table and an application that no other scenario uses.
pub(super) struct Scene {
    pub(super) tables: Arc<dyn TableAdmin>,
    /// The name of the application and of its table.
    pub(super) name: String,
    pub(super) table: Arc<dyn Table>,
    pub(super) coordination: Arc<dyn Coordination>,
    applications: EndingApplications,
}

/// Returns settings with short timeouts, for scenarios that wait for them.
pub(super) fn hasty() -> ClientOptions {
    ClientOptions::new()
        .rollback_after(Duration::from_millis(300))
        .give_up_after(Duration::from_secs(20))
        .longest_wait(Duration::from_millis(50))
}

impl Scene {
    pub(super) async fn new(instance: &Instance) -> Self {
        Self::observed(instance, &Observers::new()).await
    }

    /// Creates a scene with observed columns.
    pub(super) async fn observed(instance: &Instance, observers: &Observers) -> Self {
        let Instance {
            tables,
            applications,
        } = instance.clone();
        let name = unused_name("scenario");
        let initialization = Initialization {
            observers: observers.observed_columns(),
            ..Initialization::new("5f0c", &name)
        };
        initialize(&*tables, &applications, &name, initialization)
            .await
            .unwrap();
        let table = tables
            .open_table(&name, Authorizations::none())
            .await
            .unwrap();
        let coordination = applications.open(&name).await.unwrap();
        Self {
            tables,
            name,
            table,
            coordination,
            applications,
        }
    }

    pub(super) async fn client(&self) -> Client {
        self.client_of(self.table.clone(), ClientOptions::new())
            .await
    }

    pub(super) async fn client_of(&self, table: Arc<dyn Table>, options: ClientOptions) -> Client {
        Client::open(table, self.coordination.clone(), options)
            .await
            .unwrap()
    }

    /// Ends the session of a live client, as a pause of its process does.
    pub(super) async fn end_session(&self, client: &Client) {
        let transactor = client.transactor();
        let ended = self.applications.end_transactor(&self.name, transactor);
        assert!(ended.await, "{transactor} was not alive");
        assert!(!self.is_alive(client).await);
    }

    /// Opens a client whose calls of the coordination are listed, and fail where a scenario plans a
    /// fault.
    pub(super) async fn faulty_client(&self) -> (Client, FaultyApplications) {
        let faulty = FaultyApplications::new(Arc::new(self.applications.clone()));
        let coordination = faulty.open(&self.name).await.unwrap();
        let options = ClientOptions::new();
        let client = Client::open(self.table.clone(), coordination, options);
        (client.await.unwrap(), faulty)
    }

    pub(super) async fn is_alive(&self, client: &Client) -> bool {
        let transactor = client.transactor();
        self.coordination.is_alive(transactor).await.unwrap()
    }

    /// Deletes the table. A scenario that fails leaves it for inspection.
    pub(super) async fn end(self) {
        self.tables.delete_table(&self.name).await.unwrap();
    }

    /// Returns the number of notifications in the table.
    pub(super) async fn notifications(&self) -> usize {
        self.read(Filter::Notifications { share: None }).await.len()
    }

    /// Returns the cells that are locked for writing or for reading.
    pub(super) async fn locked(&self) -> Vec<RowColumn> {
        let latest = Filter::Snapshot { at: Timestamp::MAX };
        let mut found = self.read(latest).await;
        found.retain(|cell| kind_of(cell) == fluo_table::layout::EntryKind::Lock);
        found.extend(self.read(Filter::OpenReadLocks).await);
        let place = |cell: Cell| RowColumn::new(cell.key.row, cell.key.column);
        found.into_iter().map(place).collect()
    }

    async fn read(&self, filter: Filter) -> Vec<Cell> {
        let all = Scan::over(Span::all()).filter(filter);
        self.table.read(all).await.unwrap()
    }
}

fn kind_of(cell: &Cell) -> fluo_table::layout::EntryKind {
    fluo_table::layout::EntryTimestamp::decode(cell.key.timestamp)
        .unwrap()
        .kind
}

pub(super) fn balance() -> Column {
    Column::new("account", "balance")
}

pub(super) fn amount(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| {
        std::str::from_utf8(&value).unwrap().parse().unwrap()
    })
}

pub(super) async fn read(snapshot: &Snapshot, row: &'static str) -> i64 {
    amount(snapshot.get(row, &balance()).await.unwrap())
}

/// Sets some accounts in one transaction.
pub(super) async fn set(client: &Client, accounts: &[(&'static str, i64)]) {
    client
        .run(async |tx| {
            accounts
                .iter()
                .try_for_each(|(account, amount)| tx.set(*account, &balance(), amount.to_string()))
        })
        .await
        .unwrap();
}

/// Returns the balances of some accounts in one snapshot.
pub(super) async fn balances<const N: usize>(
    client: &Client,
    accounts: [&'static str; N],
) -> Result<[i64; N]> {
    let snapshot = client.snapshot().await?;
    let cells = accounts.map(|account| RowColumn::new(account, balance()));
    let found = snapshot.get_all(cells.clone()).await?;
    Ok(cells.map(|cell| amount(found.get(&cell).cloned())))
}
