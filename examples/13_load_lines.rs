//! Loaders: the lines of a file, each loaded in its own transaction, many at once.
//!
//! The argument is the file; the default is a sample of the home pages in `data`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result};
use fluo::{Column, Error, Fluo, Transaction};
use futures::TryStreamExt;

const HOME_PAGES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/package-homepages.txt");

const STATE: Column = Column::from_static("page", "state");
const PAGES: Column = Column::from_static("host", "pages");

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let client = fluo.application("web").open_or_create().await?;

    let (path, most) = match env::args_os().nth(1) {
        Some(path) => (PathBuf::from(path), usize::MAX),
        None => (HOME_PAGES.into(), 500),
    };
    let file = File::open(&path).with_context(|| path.display().to_string())?;

    // `load` waits while the queue is full, so that a large file takes little memory.
    let loaders = client.loaders().start()?;
    for line in BufReader::new(file).lines().take(most) {
        loaders.load(line?, load_page).await?;
    }
    // A short body can be a closure: it owns its line, and each attempt gets a clone.
    loaders
        .load("com.example/".to_owned(), async |tx, line| tx.set(line, &STATE, "example"))
        .await?;
    loaders.finish().await?;

    let now = client.snapshot().await?;
    for (row, column) in [("host:", PAGES), ("page:", STATE)] {
        let count = now.scan_prefix(row, [&column]).try_concat().await?.len();
        println!("{row} {count} rows");
    }
    Ok(())
}

/// Adds a page, and counts it for its host. Concurrent loads of one host conflict and are retried.
async fn load_page(tx: Transaction, line: String) -> Result<(), Error> {
    let (host, _) = line.split_once('/').unwrap_or((&line, ""));
    let (page, host) = (format!("page:{line}"), format!("host:{host}"));
    if tx.get(page.clone(), &STATE).await?.is_some() {
        return Ok(());
    }
    let before = tx.get(host.clone(), &PAGES).await?;
    let before = before.and_then(|value| String::from_utf8_lossy(&value).parse().ok());
    tx.set(page, &STATE, "new")?;
    tx.set(host, &PAGES, (before.unwrap_or(0) + 1).to_string())
}
