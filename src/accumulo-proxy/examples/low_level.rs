//! Scanners and conditional writers by their handles, and keys that the proxy computes:
//! `cargo run -p accumulo-proxy --example low_level`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::{
    Condition, ConditionalWriterOptions, Key, Mutation, PartialKey, ProxyClient, Range, Result,
    ScanOptions, TimeType,
};

const TABLE: &str = "example_low_level";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let done = work(&client).await;
    client.table_operations().delete(TABLE).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let fruit = [("apple", "3"), ("pear", "5")];
    let fruit = fruit.map(|(row, number)| Mutation::new(row).put("fruit", "n", number));
    client.low_level().update_and_flush(TABLE, &fruit).await?;
    write_on_conditions(client).await?;

    println!("all rows: {:?}", rows(client, Range::all()).await?);
    let range = client.row_range("pear").await?;
    println!("one row: {:?}", rows(client, range).await?);

    let pear = Key::from_row("pear").in_column("fruit", "n");
    let after = client.following_key(&pear, PartialKey::Row).await?;
    println!("the key after the row: {:?}", after.row);
    let rest = Range::between(Some(after), None);
    println!("rows behind it: {:?}", rows(client, rest).await?);
    Ok(())
}

async fn write_on_conditions(client: &ProxyClient) -> Result<()> {
    let low_level = client.low_level();
    let options = ConditionalWriterOptions::default();
    let writer = low_level.create_conditional_writer(TABLE, &options).await?;
    let new = |row: &'static str| {
        let mutation = Mutation::new(row).put("fruit", "n", "1");
        mutation.when([Condition::absent("fruit", "n")])
    };
    let outcomes = low_level.update_rows_conditionally(&writer, &[new("pear"), new("plum")]).await;
    low_level.close_conditional_writer(&writer).await?;
    for (row, outcome) in outcomes? {
        println!("new {row:?}: {outcome:?}");
    }
    Ok(())
}

/// Returns the rows of a range. The code that opens a scanner by its handle must close it.
async fn rows(client: &ProxyClient, range: Range) -> Result<Vec<String>> {
    let options = ScanOptions::default().range(range);
    let scanner = client.low_level().create_scanner(TABLE, &options).await?;
    let mut rows = Vec::new();
    let read = async {
        while client.low_level().has_next(&scanner).await? {
            let batch = client.low_level().next_k(&scanner, 100).await?;
            let names = batch.entries.iter().map(|entry| &entry.key.row);
            rows.extend(names.map(|row| String::from_utf8_lossy(row).into_owned()));
        }
        Ok(())
    }
    .await;
    // The scanner may already be closed after an error of a read, and that error is the one to
    // report.
    let closed = client.low_level().close_scanner(&scanner).await;
    let () = read?;
    closed?;
    Ok(rows)
}
