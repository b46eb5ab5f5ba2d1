//! Scanners: `cargo run -p accumulo-proxy --example scan`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::{
    BatchScanOptions, IteratorSetting, Mutation, ProxyClient, Range, Result, ScanColumn,
    ScanOptions, TimeType,
};
use futures::TryStreamExt;

const TABLE: &str = "example_scan";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let done = work(&client).await;
    client.table_operations().delete(TABLE).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let pages = (0..100)
        .map(|page| Mutation::new(format!("page{page:02}")).put("page", "n", page.to_string()));
    client.write(TABLE, pages.collect()).await?;

    let range = Range::rows(Some("page10".into()), Some("page13".into()));
    let options = ScanOptions::default().range(range).column(ScanColumn::family("page"));
    let mut ordered = client.scanner(TABLE, options);
    while let Some(batch) = ordered.try_next().await? {
        for entry in batch {
            println!("{:?} = {:?}", entry.key.row, entry.value);
        }
    }

    let rows = ["page07", "page42", "page99"].map(Range::row);
    let found: Vec<_> =
        client.batch_scanner(TABLE, BatchScanOptions::over(rows)).try_concat().await?;
    println!("{} of three rows", found.len());

    let grep =
        IteratorSetting::new(50, "grep", "org.apache.accumulo.core.iterators.user.GrepIterator");
    let options = ScanOptions::default().iterator(grep.option("term", "page7"));
    let found: Vec<_> = client.scanner(TABLE, options).try_concat().await?;
    println!("{} rows with page7", found.len());
    Ok(())
}
