//! Writers: `cargo run -p accumulo-proxy --example write`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::{
    BatchWriterOptions, ColumnUpdate, Mutation, ProxyClient, Result, ScanOptions, TimeType,
};
use futures::TryStreamExt;

const TABLE: &str = "example_write";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let done = work(&client).await;
    client.table_operations().delete(TABLE).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let page = Mutation::new("com.example")
        .put("page", "title", "An example")
        .update(ColumnUpdate::put("page", "rank", "7").at(1_700_000_000_000));
    client.write(TABLE, vec![page]).await?;

    let writer = client.batch_writer(TABLE, BatchWriterOptions::default());
    for number in 0..10_000 {
        let row = format!("row{number:05}");
        writer.add(Mutation::new(row).put("f", "q", number.to_string())).await?;
    }
    writer.close().await?;

    let entries: Vec<_> = client.scanner(TABLE, ScanOptions::default()).try_concat().await?;
    println!("{} entries", entries.len());
    Ok(())
}
