//! An application with accounts whose sum is constant, and with orders that an observer tallies and
//! removes from their queue.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use fluo::admin::{Initialization, initialize};
use fluo::{Client, ClientOptions, Observers, Snapshot, observer_fn};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Applications, Coordination};
use fluo_table::{Authorizations, Bytes, Column, Error, RowColumn, Table, TableAdmin};
use futures::TryStreamExt;

const APPLICATION: &str = "shop";
const TABLE: &str = "shop";
pub(crate) const ACCOUNTS: u64 = 8;
const EACH: i64 = 100;
pub(crate) const SUM: i64 = 800;
/// Several rows, so that tallies do not always conflict.
const TALLIES: u64 = 4;

pub(crate) struct Shop {
    table: Arc<dyn Table>,
    coordination: Arc<dyn Coordination>,
}

pub(crate) fn balance() -> Column {
    Column::new("account", "balance")
}

pub(crate) fn placed() -> Column {
    Column::new("order", "placed")
}

fn tallied() -> Column {
    Column::new("order", "tallied")
}

fn count() -> Column {
    Column::new("tally", "count")
}

pub(crate) fn account(number: u64) -> String {
    format!("account/{}", number % ACCOUNTS)
}

pub(crate) fn order(number: u64) -> String {
    format!("order/{number:012}")
}

pub(crate) fn number(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| {
        std::str::from_utf8(&value).unwrap().parse().unwrap()
    })
}

pub(crate) fn observers() -> Observers {
    let tally = observer_fn(async |tx: fluo::Transaction, row: Bytes, column: Column| {
        let Some(value) = tx.get(row.clone(), &column).await? else {
            return Ok(());
        };
        let tally = format!("tally/{}", number(Some(value)).unsigned_abs() % TALLIES);
        let before = number(tx.get(tally.clone(), &count()).await?);
        tx.set(tally, &count(), (before + 1).to_string())?;
        tx.delete(row.clone(), &column)?;
        tx.set(row, &tallied(), "yes")?;
        Ok::<_, Error>(())
    });
    Observers::new().strong(placed(), "tally", tally).unwrap()
}

/// Creates the application with its accounts.
pub(crate) async fn create(directory: &Path) {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options).unwrap();
    let applications = tables.applications();
    let observed = observers().observed_columns();
    let initialization = Initialization {
        observers: observed,
        ..Initialization::new("0d9b", TABLE)
    };
    initialize(&tables, &applications, APPLICATION, initialization)
        .await
        .unwrap();
    let client = Shop::of(&tables).await.client().await;
    client
        .run(async |tx| {
            (0..ACCOUNTS)
                .try_for_each(|number| tx.set(account(number), &balance(), EACH.to_string()))
        })
        .await
        .unwrap();
}

impl Shop {
    pub(crate) async fn open(directory: &Path) -> Self {
        Self::of(&EmbeddedTables::open(directory, EmbeddedOptions::new()).unwrap()).await
    }

    async fn of(tables: &EmbeddedTables) -> Self {
        Self {
            table: tables
                .open_table(TABLE, Authorizations::none())
                .await
                .unwrap(),
            coordination: tables.applications().open(APPLICATION).await.unwrap(),
        }
    }

    pub(crate) async fn client(&self) -> Client {
        let options = ClientOptions::new();
        Client::open(self.table.clone(), self.coordination.clone(), options)
            .await
            .unwrap()
    }

    pub(crate) async fn sum(&self, client: &Client) -> i64 {
        let snapshot = client.snapshot().await.unwrap();
        let cells = (0..ACCOUNTS).map(|number| RowColumn::new(account(number), balance()));
        let found = snapshot.get_all(cells).await.unwrap();
        found.into_values().map(|value| number(Some(value))).sum()
    }

    /// Returns the orders, and the number of those that are still queued.
    pub(crate) async fn orders(&self, client: &Client) -> (BTreeSet<u64>, usize) {
        let snapshot = client.snapshot().await.unwrap();
        let all = rows(&snapshot, &[tallied(), placed()]).await;
        let waiting = rows(&snapshot, &[placed()]).await.len();
        (all, waiting)
    }

    pub(crate) async fn tally(&self, client: &Client) -> u64 {
        let snapshot = client.snapshot().await.unwrap();
        let cells = (0..TALLIES).map(|tally| RowColumn::new(format!("tally/{tally}"), count()));
        let found = snapshot.get_all(cells).await.unwrap();
        found
            .into_values()
            .map(|value| number(Some(value)).unsigned_abs())
            .sum()
    }
}

async fn rows(snapshot: &Snapshot, columns: &[Column]) -> BTreeSet<u64> {
    let cells = snapshot
        .scan_prefix("order/", columns)
        .try_concat()
        .await
        .unwrap();
    let number = |row: &Bytes| std::str::from_utf8(&row[6..]).unwrap().parse().unwrap();
    cells.iter().map(|cell| number(&cell.key.row)).collect()
}
