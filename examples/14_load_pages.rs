//! A program that writes three pages, each in its own transaction, into the application `web` of a
//! directory. The page `docs/transactions-tool.md` inspects the result.
//!
//! The argument is the directory; the default is a temporary one.

use std::env;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::Result;
use fluo_core::admin::{Initialization, Status, initialize, status};
use fluo_core::coordination::{ObservedColumn, ObserverKind};
use fluo_core::{Client, ClientSettings, Column};
use fluo_embedded::{EmbeddedTables, Settings};

#[tokio::main]
async fn main() -> Result<()> {
    let own = tempfile::tempdir()?;
    let directory = env::args_os().nth(1).map(PathBuf::from);
    let client = open(directory.as_deref().unwrap_or(own.path())).await?;
    load_pages(&client).await?;
    writeln!(stdout(), "loaded 3 pages")?;
    Ok(())
}

async fn load_pages(client: &Client) -> fluo_core::Result<()> {
    let (text, links) = (Column::new("page", "text"), Column::new("page", "links"));
    for (page, content) in [
        ("com.example", "an example"),
        ("com.example/empty", ""),
        ("org.wikipedia", "a free encyclopedia"),
    ] {
        client
            .run(async |tx| {
                tx.set(page, &text, content)?;
                tx.set(page, &links, "0")
            })
            .await?;
    }
    Ok(())
}

/// Opens the application, and creates it first if it does not exist, as `fluo app init` does.
async fn open(directory: &Path) -> fluo_core::Result<Client> {
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory, settings)?;
    let applications = tables.applications();
    if status(&applications, "web").await? == Status::NotFound {
        let text = Column::new("page", "text");
        let initialization = Initialization {
            observers: vec![ObservedColumn::new(text, ObserverKind::Strong, "count")],
            ..Initialization::new("1c0e6d0a-7d52-4f6b-9f0a-2f5f5b8f3e11", "web")
        };
        initialize(&tables, &applications, "web", initialization).await?;
    }
    Client::open_application(&tables, &applications, "web", ClientSettings::default()).await
}
