//! Loaders: the lines of a file, each loaded in its own transaction, many at once.
//!
//! The argument is the file; the default is a sample of the home pages in `data`.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, Result};
use fluo_core::admin::{Initialization, initialize};
use fluo_core::{Client, ClientSettings, Column, Error, LoaderSettings, Transaction};
use fluo_embedded::{EmbeddedTables, Settings};
use futures::TryStreamExt;

const HOME_PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/package-homepages.txt");

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory.path(), settings)?;
    let applications = tables.applications();
    let initialization = Initialization::new("5b1f6c9e-0a3d-4f53-8a5c-1a9b4e7d2c60", "web");
    initialize(&tables, &applications, "web", initialization).await?;
    let client =
        Client::open_application(&tables, &applications, "web", ClientSettings::default()).await?;

    let (path, most) = match env::args_os().nth(1) {
        Some(path) => (PathBuf::from(path), usize::MAX),
        None => (HOME_PAGES.into(), 500),
    };
    let file = File::open(&path).with_context(|| path.display().to_string())?;

    // `load` waits while the queue is full, so that a large file takes little memory.
    let loaders = client.loaders(LoaderSettings::default())?;
    for line in BufReader::new(file).lines().take(most) {
        loaders.load(line?, load_page).await?;
    }
    // A short body can be a closure: it owns its line, and each attempt gets a clone.
    loaders
        .load("com.example/".to_owned(), async |tx, line| {
            tx.set(line, &Column::new("page", "state"), "example")
        })
        .await?;
    loaders.finish().await?;

    let now = client.snapshot().await?;
    for (row, column) in [("host:", pages()), ("page:", state())] {
        let count = now.scan_prefix(row, [&column]).try_concat().await?.len();
        writeln!(stdout(), "{row} {count} rows")?;
    }
    Ok(())
}

/// Adds a page, and counts it for its host. Concurrent loads of one host conflict and are retried.
async fn load_page(tx: Transaction, line: String) -> Result<(), Error> {
    let (host, _) = line.split_once('/').unwrap_or((&line, ""));
    let (page, host) = (format!("page:{line}"), format!("host:{host}"));
    if tx.get(page.clone(), &state()).await?.is_some() {
        return Ok(());
    }
    let before = tx.get(host.clone(), &pages()).await?;
    let before = before.and_then(|value| String::from_utf8_lossy(&value).parse().ok());
    tx.set(page, &state(), "new")?;
    tx.set(host, &pages(), (before.unwrap_or(0) + 1).to_string())
}

fn state() -> Column {
    Column::new("page", "state")
}

fn pages() -> Column {
    Column::new("host", "pages")
}
