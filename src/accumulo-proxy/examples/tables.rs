//! Operations on tables: `cargo run -p accumulo-proxy --example tables`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use std::ops::Bound::Unbounded;

use accumulo_proxy::{
    CloneOptions, Compaction, IteratorScope, IteratorSetting, Mutation, ProxyClient, Result,
    TimeType,
};

const TABLE: &str = "example_tables";
const CLONE: &str = "example_tables_clone";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let done = work(&client).await;
    client.table_operations().delete(TABLE).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let tables = client.table_operations();
    tables.add_splits(TABLE, ["g", "n", "t"]).await?;
    println!("split points: {:?}", tables.list_splits(TABLE, None).await?);

    let rows = ["apple", "mango", "tomato"].map(|row| Mutation::new(row).put("f", "q", "v"));
    client.write(TABLE, rows.to_vec()).await?;
    println!("last row: {:?}", tables.max_row(TABLE, None, Unbounded, Unbounded).await?);

    tables.set_property(TABLE, "table.split.threshold", "512M").await?;
    tables.compact(TABLE, Compaction::default()).await?;
    println!("on disk: {:?}", tables.disk_usage([TABLE]).await?);

    // The iterator runs in compactions only: scans show the same entries until then.
    let grep =
        IteratorSetting::new(30, "grep", "org.apache.accumulo.core.iterators.user.GrepIterator");
    let scopes = [IteratorScope::MinorCompaction, IteratorScope::MajorCompaction];
    let with_m = grep.option("term", "m");
    tables.check_iterator_conflicts(TABLE, &with_m, &scopes).await?;
    tables.attach_iterator(TABLE, &with_m, &scopes).await?;
    let iterators = tables.iterators(TABLE).await?;
    println!("iterators: {iterators:?}");
    tables.remove_iterator(TABLE, "grep", &scopes).await?;

    tables.clone_table(TABLE, CLONE, CloneOptions::default()).await?;
    println!("ids: {:?}", tables.id_map().await?);
    tables.delete(CLONE).await?;

    tables.merge(TABLE, None, None).await?;
    println!("merged: {:?}", tables.list_splits(TABLE, None).await?);
    tables.delete_rows(TABLE, Some(b"apple"), None).await?;
    println!("last row now: {:?}", tables.max_row(TABLE, None, Unbounded, Unbounded).await?);
    Ok(())
}
