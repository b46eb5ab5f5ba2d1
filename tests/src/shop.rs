//! An application with accounts whose sum is constant, and with orders that an observer tallies and
//! removes from their queue. Tests run it in processes that they kill.

use std::collections::BTreeSet;

use fluo_engine::{
    ApplicationHandle, Bytes, Client, Column, Error, InstanceExt, Observers, Snapshot, Transaction,
    observer_fn,
};
use fluo_table::{Instance, Result, RowColumn};
use futures::TryStreamExt;

use crate::progress::while_changing;

/// The name of the application.
pub const NAME: &str = "shop";
/// Number of accounts.
pub const ACCOUNTS: u64 = 8;
const EACH: i64 = 100;
/// The sum of all accounts, at any time.
pub const SUM: i64 = 800;
/// Several rows, so that tallies do not always conflict.
const TALLIES: u64 = 4;

/// Returns the column of a balance.
pub fn balance() -> Column {
    Column::new("account", "balance")
}

/// Returns the column of an order that the observer has not tallied yet.
pub fn placed() -> Column {
    Column::new("order", "placed")
}

/// Returns the column that marks the orders which the observer has tallied.
pub fn tallied() -> Column {
    Column::new("order", "tallied")
}

/// Returns the column of a tally.
pub fn count() -> Column {
    Column::new("tally", "count")
}

/// Returns the row of an account.
pub fn account(number: u64) -> String {
    format!("account/{}", number % ACCOUNTS)
}

/// Returns the row of an order.
pub fn order(number: u64) -> String {
    format!("order/{number:012}")
}

/// Returns the number in a value; 0 without a value.
///
/// # Panics
///
/// The value is not a decimal number.
pub fn number(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse().unwrap())
}

/// Returns the observer of placed orders.
pub fn observers() -> Observers {
    let tally = observer_fn(async |tx: Transaction, row: Bytes, column: Column| {
        let Some(value) = tx.get(row.clone(), &column).await? else { return Ok(()) };
        let tally = format!("tally/{}", number(Some(value)).unsigned_abs() % TALLIES);
        let before = number(tx.get(tally.clone(), &count()).await?);
        tx.set(tally, &count(), (before + 1).to_string())?;
        tx.delete(row.clone(), &column)?;
        tx.set(row, &tallied(), "yes")?;
        Ok::<_, Error>(())
    });
    Observers::new().strong(placed(), "tally", tally).unwrap()
}

/// Returns the application of an instance.
pub fn application(instance: &Instance) -> ApplicationHandle {
    instance.application(NAME).observers(&observers())
}

/// Sets the accounts of a new application.
///
/// # Errors
///
/// Those of the transaction.
pub async fn open_accounts(client: &Client) -> Result<()> {
    let body = async |tx: Transaction| {
        (0..ACCOUNTS).try_for_each(|number| tx.set(account(number), &balance(), EACH.to_string()))
    };
    client.run(body).await
}

/// Transfers an amount between two accounts, which a task and its round determine.
///
/// # Errors
///
/// Those of the transaction.
pub async fn transfer(client: &Client, task: u64, round: u64) -> Result<()> {
    let (from, to) = (account(task + round), account(task * 5 + round * 3 + 1));
    if from == to {
        return Ok(());
    }
    let body = async |tx: Transaction| {
        let payer = number(tx.get(from.clone(), &balance()).await?);
        let payee = number(tx.get(to.clone(), &balance()).await?);
        tx.set(from.clone(), &balance(), (payer - 3).to_string())?;
        tx.set(to.clone(), &balance(), (payee + 3).to_string())
    };
    client.run(body).await
}

/// Places an order.
///
/// # Errors
///
/// Those of [`Transaction::set`].
pub async fn place(tx: Transaction, number: u64) -> Result<()> {
    tx.set(order(number), &placed(), number.to_string())
}

/// Checks the sum, lets the observer tally all orders, checks the tally, and returns the orders.
///
/// # Panics
///
/// A check fails, or the number of waiting orders does not change for minutes.
pub async fn drained(client: &Client) -> BTreeSet<u64> {
    assert_eq!(sum(client).await, SUM, "as the processes left it");
    let worker = client.worker().start();
    let worker = worker.await.unwrap();
    let idle = while_changing(client.wait_until_idle(), async || waiting(client).await.len());
    idle.await.unwrap();
    worker.stop().await;
    assert!(client.failed_notifications().await.unwrap().is_empty());
    assert_eq!(sum(client).await, SUM, "after the queue has drained");
    let snapshot = client.snapshot().await.unwrap();
    let orders = rows(&snapshot, &[tallied(), placed()]).await;
    assert!(waiting(client).await.is_empty(), "orders that were not tallied");
    let tallies = (0..TALLIES).map(|tally| RowColumn::new(format!("tally/{tally}"), count()));
    let tallies = snapshot.get_many(tallies).await.unwrap();
    let tally: i64 = tallies.into_values().map(|value| number(Some(value))).sum();
    assert_eq!(tally, i64::try_from(orders.len()).unwrap());
    orders
}

/// Returns the orders that are not tallied yet.
///
/// # Panics
///
/// The orders cannot be read.
pub async fn waiting(client: &Client) -> BTreeSet<u64> {
    let snapshot = client.snapshot().await.unwrap();
    rows(&snapshot, &[placed()]).await
}

async fn sum(client: &Client) -> i64 {
    balances(&client.snapshot().await.unwrap()).await.iter().sum()
}

/// Reads the balances of all accounts.
///
/// # Panics
///
/// The accounts cannot be read.
pub async fn balances(snapshot: &Snapshot) -> Vec<i64> {
    let cells = (0..ACCOUNTS).map(|number| RowColumn::new(account(number), balance()));
    let found = snapshot.get_many(cells).await.unwrap();
    found.into_values().map(|value| number(Some(value))).collect()
}

async fn rows(snapshot: &Snapshot, columns: &[Column]) -> BTreeSet<u64> {
    let cells = snapshot.scan_prefix("order/", columns).try_concat().await.unwrap();
    let number = |row: &Bytes| std::str::from_utf8(&row[6..]).unwrap().parse().unwrap();
    cells.iter().map(|cell| number(&cell.key.row)).collect()
}
