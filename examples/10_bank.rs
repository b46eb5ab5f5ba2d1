//! A bank: concurrent transfers, a client that crashes in the middle of some, and a sum of all
//! accounts that never changes.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use anyhow::{Result, ensure};
use fluo::{ApplicationHandle, Bytes, Client, Column, Error, InstanceExt, Snapshot, Span};
use fluo_table::Scan;
use futures::TryStreamExt;
use futures::future::try_join_all;

const ACCOUNTS: u32 = 20;
const EACH: u64 = 100;
const TRANSFERS: u32 = 100;

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = fluo_embedded::open(directory.path())?;
    let bank = fluo.application("bank").table("accounts");
    let client = bank.create().await?;

    client
        .run(async |tx| {
            (0..ACCOUNTS).try_for_each(|account| tx.set(row(account), &balance(), EACH.to_string()))
        })
        .await?;

    // Each transfer runs in its own task. Meanwhile, this task checks the sum again and again.
    let transfers = (0..TRANSFERS).map(|number| {
        let client = client.clone();
        tokio::spawn(async move {
            transfer(&client, number % ACCOUNTS, (number + 7) % ACCOUNTS, 5).await
        })
    });
    let transfers: Vec<_> = transfers.collect();
    let unfinished = crash_during_transfers(bank).await?;
    let mut checks = 0;
    while !transfers.iter().all(tokio::task::JoinHandle::is_finished) {
        let (accounts, sum) = total(&client.snapshot().await?).await?;
        ensure!(
            (accounts, sum) == (ACCOUNTS as usize, u64::from(ACCOUNTS) * EACH),
            "{sum} in {accounts}"
        );
        checks += 1;
    }
    let done: Result<Vec<bool>, Error> = try_join_all(transfers).await?.into_iter().collect();
    let done = done?.into_iter().filter(|is_done| *is_done).count();
    let (_, sum) = total(&client.snapshot().await?).await?;
    println!("a client crashed during {unfinished} transfers");
    println!(
        "{done} of {TRANSFERS} other transfers had enough money; {checks} checks found a sum of {sum}"
    );
    Ok(())
}

/// Moves an amount if the account has enough money. `run` retries it after a conflict.
async fn transfer(client: &Client, from: u32, to: u32, amount: u64) -> Result<bool, Error> {
    client
        .run(async |tx| {
            let before = number(tx.get(row(from), &balance()).await?);
            let Some(rest) = before.checked_sub(amount) else {
                return Ok(false);
            };
            let other = number(tx.get(row(to), &balance()).await?);
            tx.set(row(from), &balance(), rest.to_string())?;
            tx.set(row(to), &balance(), (other + amount).to_string())?;
            Ok(true)
        })
        .await
}

/// Runs another client in its own runtime, and stops that runtime while transfers are being
/// committed, like a process that is killed. Other clients roll its locks back or forward when they
/// meet them. Returns the number of unfinished transfers.
async fn crash_during_transfers(bank: ApplicationHandle) -> Result<usize> {
    let killed = move || -> Result<usize> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let client = bank.open().await?;
            let transfers = (0..ACCOUNTS).map(|number| {
                let client = client.clone();
                tokio::spawn(
                    async move { transfer(&client, number, (number + 1) % ACCOUNTS, 50).await },
                )
            });
            let transfers: Vec<_> = transfers.collect();
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(transfers
                .iter()
                .filter(|transfer| !transfer.is_finished())
                .count())
        })
    };
    tokio::task::spawn_blocking(killed).await?
}

/// Returns the number of accounts, and the sum of their balances.
async fn total(snapshot: &Snapshot) -> Result<(usize, u64), Error> {
    let cells = snapshot
        .scan(Scan::over(Span::prefix("account")))
        .try_concat()
        .await?;
    Ok((
        cells.len(),
        cells.into_iter().map(|cell| number(Some(cell.value))).sum(),
    ))
}

fn row(account: u32) -> Bytes {
    format!("account{account:04}").into()
}

fn balance() -> Column {
    Column::new("account", "balance")
}

fn number(value: Option<Bytes>) -> u64 {
    value
        .and_then(|value| std::str::from_utf8(&value).ok()?.parse().ok())
        .unwrap_or(0)
}
