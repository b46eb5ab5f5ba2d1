//! A first program after the README: pages on hashed rows, an observer, and a queue.
use fluo::{Bytes, Column, CombineQueue, Fluo, Result, RowHasher, Sum, Transaction};

const LINKS: Column = Column::from_static("page", "links");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let fluo = Fluo::in_memory();
    let hasher = RowHasher::new("p")?;
    let spread = hasher.table_optimizations(20)?;
    let linked = CombineQueue::<String, u64>::new("linked", Sum)?;
    let counted = linked.clone();
    let web = fluo.application("web").recipe(&spread).recipe(&linked);
    let client = web
        .observe(&LINKS, "count", move |tx, page| count(tx, page, counted.clone()))
        .open_or_create()
        .await?;
    fluo.optimize("web", &spread).await?;

    let worker = client.worker().start().await?;
    for (page, links) in [("org.debian", "org.gnu"), ("org.gnu", "org.debian org.gnu")] {
        let row = hasher.add(page.as_bytes());
        let load = async |tx: Transaction| tx.set(row.clone(), &LINKS, links);
        client.run(load).await?;
    }
    client.wait_until_idle().await?;
    worker.stop().await;
    let links = linked.get(&client.snapshot().await?, "org.gnu").await?;
    println!("org.gnu has {} links", links.unwrap_or(0));
    Ok(())
}

async fn count(tx: Transaction, page: Bytes, linked: CombineQueue<String, u64>) -> Result<()> {
    let links = tx.get(page.clone(), &LINKS).await?.unwrap_or_default();
    tx.delete(page, &LINKS)?; // so that no further run counts them
    let links = String::from_utf8_lossy(&links).into_owned();
    linked.extend(&tx, links.split_whitespace().map(|link| (link, 1)))
}
