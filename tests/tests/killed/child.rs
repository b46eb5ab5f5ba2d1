//! The child processes that are killed.

use std::io::Write;
use std::path::Path;

use fluo::{Client, LoaderOptions, Transaction, Worker, WorkerOptions};
use fluo_table::Result;
use futures::future::{try_join, try_join_all};

use crate::shop::{Shop, account, balance, number, observers, order, placed};
use crate::store::Store;

const TRANSFERRING: u64 = 6;

/// Transfers, loads and observes until the process is killed.
pub(crate) async fn run_shop(directory: &Path, first: u64) -> Result<()> {
    let shop = Shop::open(directory).await;
    let client = shop.client().await;
    let _worker = Worker::start(&client, observers(), WorkerOptions::new()).await?;
    let transfers = (0..TRANSFERRING).map(|task| transfer_for_ever(client.clone(), task));
    let place =
        async |tx: Transaction, number: u64| tx.set(order(number), &placed(), number.to_string());
    try_join(
        try_join_all(transfers),
        place_for_ever(&client, first, place),
    )
    .await?;
    Ok(())
}

/// Loads orders, combines and exports until the process is killed.
pub(crate) async fn run_store(directory: &Path, first: u64) -> Result<()> {
    let store = Store::open(directory);
    let client = store.client().await;
    let _worker = Worker::start(&client, store.observers(), WorkerOptions::new()).await?;
    let place = move |tx, number| store.clone().place(tx, number);
    place_for_ever(&client, first, place).await
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
async fn place_for_ever<F>(
    client: &Client,
    first: u64,
    place: impl Fn(Transaction, u64) -> F + Clone + Send + 'static,
) -> Result<()>
where
    F: Future<Output = Result<()>> + Send,
{
    let loaders = client.loaders(LoaderOptions::new())?;
    for number in first.. {
        let loading = loaders.submit(number, place.clone()).await;
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
