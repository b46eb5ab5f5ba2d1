//! Transactions: an atomic write to two rows, and a conflict between two transactions.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use anyhow::Result;
use fluo::{Column, CommitError, Fluo};

const TITLE: Column = Column::from_static("page", "title");
const PAGE: Column = Column::from_static("index", "page");

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;

    // An application is a table and the state that its processes share.
    let client = fluo.application("web").open_or_create().await?;

    // A page, and an index from words to pages: the transaction writes both or neither.
    client
        .run(async |tx| {
            tx.set("page:org.apache/fluo", &TITLE, "Fluo")?;
            tx.set("word:fluo", &PAGE, "org.apache/fluo")
        })
        .await?;

    // A snapshot shows the table at one timestamp, whatever other transactions write later.
    let before = client.snapshot().await?;
    client
        .run(async |tx| {
            tx.delete("word:fluo", &PAGE)?;
            tx.set("word:percolator", &PAGE, "org.apache/fluo")?;
            tx.set("page:org.apache/fluo", &TITLE, "Percolator")
        })
        .await?;
    let now = client.snapshot().await?;
    for (when, snapshot) in [("before", &before), ("now", &now)] {
        let title = snapshot.get("page:org.apache/fluo", &TITLE).await?.unwrap_or_default();
        let is_indexed = snapshot.get("word:fluo", &PAGE).await?.is_some();
        println!(
            "{when}: {}, found by its old name: {is_indexed}",
            String::from_utf8_lossy(&title)
        );
    }

    // Two transactions write one cell. The first to commit wins; the other one gets a conflict that
    // names the winner. `run` would retry it.
    let (first, second) = (client.begin().await?, client.begin().await?);
    first.set("page:org.apache/fluo", &TITLE, "first")?;
    second.set("page:org.apache/fluo", &TITLE, "second")?;
    first.commit().await?;
    match second.commit().await {
        Err(CommitError::Conflict(conflict)) => println!("{conflict}"),
        other => anyhow::bail!("expected a conflict, not {other:?}"),
    }
    Ok(())
}
