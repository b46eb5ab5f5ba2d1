//! An application as processes: `22_words worker` counts the words of pages, and `22_words load
//! FILE` loads each line of a file as a page. Both declare the same application. The page
//! `docs/operate-application.md` operates them on Accumulo.
//!
//! Without arguments both work in a new directory, one after the other, until all work is done.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};

use anyhow::{Context, Result, bail};
use fluo::engine::ApplicationHandle;
use fluo::process::{Process, ProcessOptions};
use fluo::{Bytes, Column, Error, Transaction};

const TEXT: Column = Column::from_static("page", "text");
const WORDS: Column = Column::from_static("page", "words");

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["worker"] => work(Process::start().await?).await,
        ["load", file] => {
            let pages = File::open(file).with_context(|| file.to_owned())?;
            load(Process::start().await?, BufReader::new(pages)).await
        }
        [] => try_both().await,
        _ => bail!("the arguments are `worker` or `load FILE`"),
    }
}

/// Declares the application, in all its processes in the same way.
fn application(process: &Process) -> ApplicationHandle {
    process.application("web").observe(&TEXT, "count", count)
}

async fn count(tx: Transaction, page: Bytes) -> Result<(), Error> {
    // Notifications are written before the commit, so the text may not have been committed.
    let Some(text) = tx.get(page.clone(), &TEXT).await? else {
        return Ok(());
    };
    let text = String::from_utf8_lossy(&text);
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).count();
    tx.set(page, &WORDS, words.to_string())
}

async fn work(process: Process) -> Result<()> {
    let client = application(&process).open_or_create().await?;
    // Every six hours one of the workers drops the versions that no snapshot needs.
    let tables = process.instance().table_admin().clone();
    process.run_worker(client.worker().collect_garbage(tables)).await?;
    Ok(())
}

async fn load(process: Process, pages: impl BufRead) -> Result<()> {
    let client = application(&process).open_or_create().await?;
    let loaded = process.run_loaders(client.loaders(), async |loaders| {
        let set = async |tx: Transaction, page: String| tx.set(page.clone(), &TEXT, page);
        let mut number = 0;
        for page in pages.lines() {
            loaders.load(page?, set).await?;
            number += 1;
        }
        println!("read {number} pages");
        anyhow::Ok(())
    });
    loaded.await
}

async fn try_both() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let start = || async {
        let place = format!("embedded:{}", directory.path().display());
        ProcessOptions::at(&place)?.start().await
    };
    load(start().await?, &b"example.org/a\nexample.org/b/c"[..]).await?;

    let process = start().await?;
    let client = application(&process).open().await?;
    let stopper = process.stopper();
    let worker = process.run_worker(client.worker());
    let idle = async {
        client.wait_until_idle().await?;
        stopper.stop();
        Ok(())
    };
    tokio::try_join!(worker, idle)?;
    let words = client.snapshot().await?.get("example.org/b/c", &WORDS).await?;
    println!("words of the page: {}", String::from_utf8_lossy(&words.unwrap_or_default()));
    Ok(())
}
