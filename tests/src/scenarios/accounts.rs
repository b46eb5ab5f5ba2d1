//! Accounts with balances, and settings for scenarios.

use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, ClientOptions, CommitError, CommitInfo, Snapshot};
use fluo_table::{Column, Error, RowColumn};

use crate::shop::number;
use crate::{FaultyTable, Fixture};

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

pub(super) async fn read(snapshot: &Snapshot, row: &'static str) -> i64 {
    number(snapshot.get(row, &balance()).await.unwrap())
}

/// Sets two accounts in a transaction of a client that is cut off from a writing call on.
pub(super) async fn cut_off(
    fixture: &Fixture,
    call: usize,
) -> (Client, Result<CommitInfo, CommitError>) {
    let table = FaultyTable::new(fixture.table.clone()).cut_off_from_write(call).row_by_row();
    let client = fixture.client_of(Arc::new(table), hasty()).await;
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "2").unwrap();
    tx.set("bob", &balance(), "2").unwrap();
    let committed = tx.commit().await;
    (client, committed)
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
) -> Result<[i64; N], Error> {
    let snapshot = client.snapshot().await?;
    let cells = accounts.map(|account| RowColumn::new(account, balance()));
    let found = snapshot.get_many(cells.clone()).await?;
    Ok(cells.map(|cell| number(found.get(&cell).cloned())))
}
