use std::path::Path;

use fluo_core::coordination::Applications;
use fluo_core::{Authorizations, Client, ClientSettings, Column, TableAdmin};
use fluo_embedded::{EmbeddedTables, Settings};

/// Loads three pages, each in a transaction.
pub(crate) async fn load_pages(directory: &Path) -> fluo_core::Result<()> {
    let tables = EmbeddedTables::open(directory, Settings::default())?;
    let web = tables.applications().open("web").await?;
    let table = tables.open_table("web", Authorizations::none()).await?;
    let client = Client::open(table, web, ClientSettings::default()).await?;

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
