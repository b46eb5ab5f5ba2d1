use std::num::NonZeroU32;
use std::path::Path;

use fluo_core::coordination::Applications;
use fluo_core::{
    Authorizations, Bytes, Client, ClientSettings, Column, Error, Observers, TableAdmin,
    Transaction, Worker, WorkerSettings, observer_fn,
};
use fluo_embedded::{EmbeddedTables, Settings};

/// Counts the words of pages, until no notification waits.
pub(crate) async fn count_words(directory: &Path) -> fluo_core::Result<()> {
    let tables = EmbeddedTables::open(directory, Settings::default())?;
    let web = tables.applications().open("web").await?;
    let table = tables.open_table("web", Authorizations::none()).await?;
    let client = Client::open(table, web, ClientSettings::default()).await?;

    let count = observer_fn(async |tx: Transaction, page: Bytes, text: Column| {
        let text = tx.get(page.clone(), &text).await?.unwrap_or_default();
        let words = text
            .split(|byte| *byte == b' ')
            .filter(|word| !word.is_empty());
        match words.count() {
            0 => Err(Error::invalid("the page has no words")),
            words => tx.set(page, &Column::new("page", "words"), words.to_string()),
        }
    });
    let observers = Observers::new().strong(Column::new("page", "text"), "count", count)?;
    let settings = WorkerSettings {
        max_tries: NonZeroU32::MIN,
        ..WorkerSettings::default()
    };
    let worker = Worker::start(&client, observers, settings).await?;
    client.wait_until_idle().await?;
    worker.stop().await;
    Ok(())
}
