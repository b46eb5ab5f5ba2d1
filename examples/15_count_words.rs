//! A worker process: an observer that counts the words of pages, a graceful stop, and a test of the
//! observer.
//!
//! The argument is the directory of the application; `14_load_pages` creates one. Without an
//! argument, the application is in memory. The page `docs/transactions-tool.md` inspects the
//! results.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::Result;
use fluo::{
    Bytes, Client, Column, Error, Instance, InstanceExt, Observers, Transaction, Worker,
    WorkerOptions, observer_fn,
};
use tokio::signal;

#[tokio::main]
async fn main() -> Result<()> {
    let fluo = match env::args_os().nth(1) {
        Some(directory) => fluo_embedded::open_existing(directory)?,
        None => Instance::in_memory(),
    };
    let client = open(&fluo).await?;
    count_words(&client, fluo).await
}

/// Counts the words of a page whose text was set. This is the observer.
async fn count(tx: Transaction, page: Bytes, text: Column) -> Result<(), Error> {
    // Notifications are written before the commit, so the text may not have been committed.
    let Some(text) = tx.get(page.clone(), &text).await? else {
        return Ok(());
    };
    let text = String::from_utf8_lossy(&text);
    match text.split_whitespace().count() {
        0 => Err(Error::invalid("the page has no words")),
        words => tx.set(page, &words_of_page(), words.to_string()),
    }
}

/// Runs the observer until no notification waits, or until Ctrl-C.
async fn count_words(client: &Client, fluo: Instance) -> Result<()> {
    let options = WorkerOptions::new().max_tries(NonZeroU32::MIN);
    // Every six hours it also drops the versions that no snapshot needs.
    let worker = Worker::start(client, observers()?, options).await?;
    let worker = worker.collecting_garbage(Arc::new(fluo));
    // A long-running worker would wait only for the signal.
    tokio::select! {
        idle = client.wait_until_idle() => idle?,
        signal = signal::ctrl_c() => signal?,
    }
    // Running observers finish; all other notifications wait for the next worker.
    worker.stop().await;
    for failed in client.failed_notifications().await? {
        let page = String::from_utf8_lossy(&failed.cell.row);
        println!("{page}: {}", failed.error);
    }
    Ok(())
}

fn observers() -> fluo::Result<Observers> {
    Observers::new().strong(text(), "count", observer_fn(count))
}

fn text() -> Column {
    Column::new("page", "text")
}

fn words_of_page() -> Column {
    Column::new("page", "words")
}

/// Opens the application, and creates it first if it does not exist. It must have the observers of
/// this program.
async fn open(fluo: &Instance) -> fluo::Result<Client> {
    let web = fluo.application("web").observers(&observers()?);
    web.open_or_create().await
}

/// Tests without a directory, a cluster or a pause. To run them:
/// `cargo test --package fluo-examples --example 15_count_words`.
#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_the_words_of_a_changed_page_again() -> Result<()> {
        let client = open(&Instance::in_memory()).await?;
        let worker = Worker::start(&client, observers()?, WorkerOptions::new()).await?;
        for (content, words) in [("a free encyclopedia", "3"), ("an encyclopedia", "2")] {
            client
                .run(async |tx| tx.set("org.wikipedia", &text(), content))
                .await?;
            client.wait_until_idle().await?;
            let now = client.snapshot().await?;
            let counted = now.get("org.wikipedia", &words_of_page()).await?;
            assert_eq!(counted.as_deref(), Some(words.as_bytes()));
        }
        worker.stop().await;
        Ok(())
    }
}
