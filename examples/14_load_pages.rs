//! A program that writes three pages, each in its own transaction, into the application `web` of a
//! directory. The page `docs/transactions-tool.md` inspects the result.
//!
//! The argument is the directory; the default is a temporary one.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use fluo::table::coordination::{ObservedColumn, ObserverKind};
use fluo::{Client, Column, Fluo};

const TEXT: Column = Column::from_static("page", "text");
const LINKS: Column = Column::from_static("page", "links");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let own = tempfile::tempdir()?;
    let directory = env::args_os().nth(1).map(PathBuf::from);
    let client = open(directory.as_deref().unwrap_or(own.path())).await?;
    load_pages(&client).await?;
    println!("loaded 3 pages");
    Ok(())
}

async fn load_pages(client: &Client) -> fluo::Result<()> {
    for (page, content) in [
        ("com.example", "an example"),
        ("com.example/empty", ""),
        ("org.wikipedia", "a free encyclopedia"),
    ] {
        client
            .run(async |tx| {
                tx.set(page, &TEXT, content)?;
                tx.set(page, &LINKS, "0")
            })
            .await?;
    }
    Ok(())
}

/// Opens the application, and creates it first if it does not exist, as `fluo app init` does.
/// Another program runs the observer, so this one declares only its column.
async fn open(directory: &Path) -> fluo::Result<Client> {
    let count = ObservedColumn::new(TEXT, ObserverKind::Strong, "count");
    let web = Fluo::open(directory)?.application("web");
    web.observed_columns([count]).open_or_create().await
}
