//! Accounts with balances, and settings for scenarios.

use std::time::Duration;

use fluo_engine::{Client, ClientOptions, Snapshot};
use fluo_table::{Bytes, Column, Result, RowColumn};

/// Returns settings with short timeouts, for scenarios that wait for them.
pub(super) fn hasty() -> ClientOptions {
    ClientOptions::new()
        .rollback_after(Duration::from_millis(300))
        .max_elapsed(Duration::from_secs(20))
        .max_pause(Duration::from_millis(50))
}

pub(super) fn balance() -> Column {
    Column::new("account", "balance")
}

pub(super) fn amount(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse().unwrap())
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
    client.wait_until_rolled_forward().await;
}

/// Returns the balances of some accounts in one snapshot.
pub(super) async fn balances<const N: usize>(
    client: &Client,
    accounts: [&'static str; N],
) -> Result<[i64; N]> {
    let snapshot = client.snapshot().await?;
    let cells = accounts.map(|account| RowColumn::new(account, balance()));
    let found = snapshot.get_many(cells.clone()).await?;
    Ok(cells.map(|cell| amount(found.get(&cell).cloned())))
}
