//! A worker as a process of its own: `FLUO_AT` names a directory or a cluster, `FLUO_HTTP` an
//! address for `/ready` and `/metrics`, and a signal ends it. The argument is the application; the
//! default is `web`.
//!
//! Without `FLUO_AT` it works in a new directory, loads a page, and stops when all work is done.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;

use anyhow::Result;
use fluo::process::{ProcessOptions, Stopper};
use fluo::{Client, Column};

const TEXT: Column = Column::from_static("page", "text");
const LENGTH: Column = Column::from_static("page", "length");

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let is_trial = env::var_os("FLUO_AT").is_none();
    let options = match is_trial {
        true => ProcessOptions::at(&format!("embedded:{}", directory.path().display()))?,
        false => ProcessOptions::from_env()?,
    };

    let name = env::args().nth(1).unwrap_or("web".to_owned());
    let process = options.oracle(&name).start().await?;
    let web = process.application(&name).observe(&TEXT, "measure", async |tx, page| {
        let length = tx.get(page.clone(), &TEXT).await?.map_or(0, |text| text.len());
        tx.set(page, &LENGTH, length.to_string())
    });
    let client = web.open_or_create().await?;
    let stopper = process.stopper();
    let worker = process.run_worker(client.worker().tasks(4));
    if is_trial {
        tokio::try_join!(worker, load_a_page(client, stopper))?;
    } else {
        worker.await?;
    }
    Ok(())
}

async fn load_a_page(client: Client, stopper: Stopper) -> fluo::Result<()> {
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await?;
    client.wait_until_idle().await?;
    let length = client.snapshot().await?.get("org.wikipedia", &LENGTH).await?;
    println!("length of the page: {}", String::from_utf8_lossy(&length.unwrap_or_default()));
    stopper.stop();
    Ok(())
}
