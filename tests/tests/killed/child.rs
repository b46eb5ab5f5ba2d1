//! The child processes that are killed.

use std::io::Write;
use std::path::Path;

use fluo_engine::{Client, Transaction};
use fluo_table::Result;
use fluo_tests::shop;
use futures::future::{try_join, try_join_all};

use crate::store::Store;

const TRANSFERRING: u64 = 6;

/// Transfers, loads and observes until the process is killed.
pub(crate) async fn run_shop(directory: &Path, first: u64) -> Result<()> {
    let fluo = fluo_embedded::open_existing(directory)?;
    let client = shop::application(&fluo).open().await?;
    let _worker = client.worker().start().await?;
    let transfers = (0..TRANSFERRING).map(|task| transfer_for_ever(client.clone(), task));
    let placing = place_for_ever(&client, first, shop::place);
    try_join(try_join_all(transfers), placing).await?;
    Ok(())
}

/// Loads orders, combines and exports until the process is killed.
pub(crate) async fn run_store(directory: &Path, first: u64) -> Result<()> {
    let store = Store::open(directory);
    let client = store.client().await;
    let _worker = client.worker().start().await?;
    let place = move |tx, number| store.clone().place(tx, number);
    place_for_ever(&client, first, place).await
}

async fn transfer_for_ever(client: Client, task: u64) -> Result<()> {
    for round in 0_u64.. {
        shop::transfer(&client, task, round).await?;
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
    let loaders = client.loaders().start()?;
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
