//! A worker process: an observer that counts the words of pages, a graceful stop, and a test of the observer.
//!
//! The directory of the application is the argument; 14_load_pages makes one. Without it, the application is one in memory.
//! The page `docs/transactions-tool.md` looks into what this leaves.

use std::env;
use std::io::{Write, stdout};
use std::num::NonZeroU32;

use anyhow::Result;
use fluo_core::admin::{Initialization, initialize};
use fluo_core::coordination::MemoryApplications;
use fluo_core::{
    Bytes, Client, ClientSettings, Column, Error, MemoryTables, Observers, Transaction, Worker,
    WorkerSettings, observer_fn,
};
use fluo_embedded::{EmbeddedTables, Settings};
use tokio::signal;

#[tokio::main]
async fn main() -> Result<()> {
    let client = match env::args_os().nth(1) {
        Some(directory) => {
            let tables = EmbeddedTables::open(directory, Settings::default())?;
            let applications = tables.applications();
            let settings = ClientSettings::default();
            Client::open_application(&tables, &applications, "web", settings).await?
        }
        None => in_memory().await?,
    };
    count_words(&client).await
}

/// The observer: counts the words of a page whose text was set.
async fn count(tx: Transaction, page: Bytes, text: Column) -> Result<(), Error> {
    // A notification may be in vain: the transaction that left it did not commit.
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
async fn count_words(client: &Client) -> Result<()> {
    let settings = WorkerSettings {
        // The first failure is the last try, so that it is soon seen.
        max_tries: NonZeroU32::MIN,
        ..WorkerSettings::default()
    };
    let worker = Worker::start(client, observers()?, settings).await?;
    // A worker that is to stay waits for the signal alone.
    tokio::select! {
        idle = client.wait_until_idle() => idle?,
        signal = signal::ctrl_c() => signal?,
    }
    // The observers that run may end: the notifications of all others wait for the next worker.
    worker.stop().await;
    for failed in client.failed_notifications().await? {
        let page = String::from_utf8_lossy(&failed.cell.row);
        writeln!(stdout(), "{page}: {}", failed.error)?;
    }
    Ok(())
}

fn observers() -> fluo_core::Result<Observers> {
    Observers::new().strong(text(), "count", observer_fn(count))
}

fn text() -> Column {
    Column::new("page", "text")
}

fn words_of_page() -> Column {
    Column::new("page", "words")
}

/// An application in memory, which ends with its client. It knows what the observers observe.
async fn in_memory() -> Result<Client> {
    let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    let initialization = Initialization {
        observers: observers()?.observed_columns(),
        ..Initialization::new("9d3e1b57-40a8-4c39-8b62-7c2d6a0f4e85", "web")
    };
    initialize(&tables, &applications, "web", initialization).await?;
    let settings = ClientSettings::default();
    Ok(Client::open_application(&tables, &applications, "web", settings).await?)
}

/// `cargo test --package fluo-examples --example 15_count_words` runs it: no directory, no cluster, no pause.
#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_words_of_a_page_are_counted_anew_when_it_changes() -> Result<()> {
        let client = in_memory().await?;
        let worker = Worker::start(&client, observers()?, WorkerSettings::default()).await?;
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
