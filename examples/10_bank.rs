//! A bank: concurrent transfers, a client that crashes in the middle of some, and a sum of all
//! accounts that never changes. Accounts are rows with typed columns.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use anyhow::{Result, ensure};
use fluo::recipes::typed_row;
use fluo::{Application, Client, Error, Fluo, Snapshot, TypedColumn, TypedRow};
use futures::TryStreamExt;
use futures::future::try_join_all;

const ACCOUNTS: u32 = 20;
const EACH: u64 = 100;
const TRANSFERS: u32 = 100;

const OWNER: TypedColumn<String> = TypedColumn::new("account", "owner");
const BALANCE: TypedColumn<u64> = TypedColumn::new("account", "balance");

typed_row! {
    /// An account. Each field is a cell of its row.
    struct Account {
        owner: String = OWNER,
        balance: u64 = BALANCE,
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let bank = fluo.application("bank").table("accounts");
    let client = bank.create().await?;

    client
        .run(async |tx| {
            (0..ACCOUNTS).try_for_each(|number| {
                let account = Account { owner: format!("customer {number}"), balance: EACH };
                account.set(&tx, row(number))
            })
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
            let before = tx.get(row(from), &BALANCE).await?.unwrap_or(0);
            let Some(rest) = before.checked_sub(amount) else {
                return Ok(false);
            };
            tx.set(row(from), &BALANCE, rest)?;
            BALANCE.increment(&tx, row(to), amount).await?;
            Ok(true)
        })
        .await
}

/// Runs another client in its own runtime, and stops that runtime while transfers are being
/// committed, like a process that is killed. Other clients roll its locks back or forward when they
/// meet them. Returns the number of unfinished transfers.
async fn crash_during_transfers(bank: Application) -> Result<usize> {
    let killed = move || -> Result<usize> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
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
            Ok(transfers.iter().filter(|transfer| !transfer.is_finished()).count())
        })
    };
    tokio::task::spawn_blocking(killed).await?
}

/// Returns the number of accounts, and the sum of their balances.
async fn total(snapshot: &Snapshot) -> Result<(usize, u64), Error> {
    let accounts = Account::scan_prefix(snapshot, "account");
    let balances = accounts.map_ok(|(_, account)| account.balance);
    let balances: Vec<u64> = balances.try_collect().await?;
    Ok((balances.len(), balances.iter().sum()))
}

fn row(account: u32) -> String {
    format!("account{account:04}")
}
