//! The child process that is killed.

use std::io::Write;
use std::path::Path;

use fluo::{Client, LoaderOptions, Worker, WorkerOptions};
use fluo_table::{Error, Result};
use futures::future::{try_join, try_join_all};

use crate::shop::{Shop, account, balance, number, observers, order, placed};

const TRANSFERRING: u64 = 6;

/// Transfers, loads and observes until the process is killed.
pub(crate) async fn work_for_ever(directory: &Path, first: u64) -> Result<()> {
    let shop = Shop::open(directory).await;
    let client = shop.client().await;
    let _worker = Worker::start(&client, observers(), WorkerOptions::new()).await?;
    let transfers = (0..TRANSFERRING).map(|task| transfer_for_ever(client.clone(), task));
    try_join(try_join_all(transfers), place_for_ever(&client, first)).await?;
    Ok(())
}

async fn transfer_for_ever(client: Client, task: u64) -> Result<()> {
    for round in 0_u64.. {
        let (from, to) = (account(task + round), account(task * 5 + round * 3 + 1));
        if from == to {
            continue;
        }
        let transfer = client.run(async |tx| {
            let payer = number(tx.get(from.clone(), &balance()).await?);
            let payee = number(tx.get(to.clone(), &balance()).await?);
            tx.set(from.clone(), &balance(), (payer - 3).to_string())?;
            tx.set(to.clone(), &balance(), (payee + 3).to_string())
        });
        transfer.await?;
    }
    Ok(())
}

/// Places orders, and prints the number of each once it has committed.
async fn place_for_ever(client: &Client, first: u64) -> Result<()> {
    let loaders = client.loaders(LoaderOptions::new())?;
    for number in first.. {
        let loading = loaders
            .submit(number, async |tx, number| {
                tx.set(order(number), &placed(), number.to_string())?;
                Ok::<_, Error>(())
            })
            .await;
        tokio::spawn(async move {
            // An order that failed, because the process is being killed, was not acknowledged.
            if loading.await.is_ok() {
                let printed = writeln!(std::io::stdout().lock(), "placed {number}.");
                drop(printed);
            }
        });
    }
    loaders.finish().await
}
