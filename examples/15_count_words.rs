//! A worker process: an observer that counts the words of pages, a graceful stop, and a test of the
//! observer.
//!
//! The argument is the directory of the application; `14_load_pages` creates one. Without an
//! argument, the application is in memory. The page `docs/transactions-tool.md` inspects the
//! results.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::num::NonZeroU32;

use anyhow::Result;
use fluo::{Bytes, Client, Column, Error, Fluo, Transaction, embedded};
use tokio::signal;

const TEXT: Column = Column::from_static("page", "text");
const WORDS: Column = Column::from_static("page", "words");

#[tokio::main]
async fn main() -> Result<()> {
    let fluo = match env::args_os().nth(1) {
        Some(directory) => embedded::open_existing(directory)?.into(),
        None => Fluo::in_memory(),
    };
    let client = open(&fluo).await?;
    count_words(&client, &fluo).await
}

/// Counts the words of a page whose text was set. This is the observer.
async fn count(tx: Transaction, page: Bytes) -> Result<(), Error> {
    // Notifications are written before the commit, so the text may not have been committed.
    let Some(text) = tx.get(page.clone(), &TEXT).await? else {
        return Ok(());
    };
    let text = String::from_utf8_lossy(&text);
    match text.split_whitespace().count() {
        0 => Err(Error::invalid("the page has no words")),
        words => tx.set(page, &WORDS, words.to_string()),
    }
}

/// Runs the observer until no notification waits, or until Ctrl-C.
async fn count_words(client: &Client, fluo: &Fluo) -> Result<()> {
    // Every six hours it also drops the versions that no snapshot needs.
    let tables = fluo.instance().table_admin().clone();
    let worker = client.worker().max_attempts(NonZeroU32::MIN).collect_garbage(tables);
    let worker = worker.start().await?;
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

/// Opens the application, and creates it first if it does not exist. It must have the observers of
/// this program.
async fn open(fluo: &Fluo) -> fluo::Result<Client> {
    let web = fluo.application("web").observe(&TEXT, "count", count);
    web.open_or_create().await
}

/// Tests without a directory, a cluster or a pause. To run them:
/// `cargo test --example 15_count_words`.
#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_the_words_of_a_changed_page_again() -> Result<()> {
        let client = open(&Fluo::in_memory()).await?;
        let worker = client.worker().start().await?;
        for (content, words) in [("a free encyclopedia", "3"), ("an encyclopedia", "2")] {
            client.run(async |tx| tx.set("org.wikipedia", &TEXT, content)).await?;
            client.wait_until_idle().await?;
            let now = client.snapshot().await?;
            let counted = now.get("org.wikipedia", &WORDS).await?;
            assert_eq!(counted.as_deref(), Some(words.as_bytes()));
        }
        worker.stop().await;
        Ok(())
    }
}
