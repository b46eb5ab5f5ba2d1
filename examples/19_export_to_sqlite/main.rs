//! An export queue to a database: SQLite gets each order of a shop exactly once.
//!
//! The transaction of an order adds it to an [`ExportQueue`], with the customer as key. It also
//! counts the orders of the customer, so two transactions of a customer conflict, and the sequences
//! of the customer are in the order of the commits. [`SqliteSink`] depends on this: it ignores an
//! order whose sequence is not larger than the last one of its customer.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

mod sqlite_sink;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use fluo::recipes::codec::{Postcard, Text};
use fluo::{Client, Export, ExportQueue, Fluo, TypedColumn};
use futures::future::try_join_all;
use sqlite_sink::{Order, SqliteSink};

/// The price of an order, in cents.
const CENTS: TypedColumn<u64> = TypedColumn::new("order", "cents");
/// The number of orders of a customer.
const ORDERS: TypedColumn<u64> = TypedColumn::new("customer", "orders");

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let database = directory.path().join("orders.sqlite");
    let fluo = Fluo::open(directory.path().join("shop"))?;

    let exports =
        ExportQueue::<String, Order>::with_codecs("sqlite", Text, Postcard)?.buckets(7)?;
    let sink = SqliteSink::open(&database)?;
    let exporter = sink.clone();
    let exports = exports.export_to(move |orders| exporter.clone().export(orders));
    let client = fluo.application("shop").recipe(&exports).create().await?;

    let worker = client.worker().start().await?;
    let customers = ["alice", "bob", "carol"].into_iter().cycle();
    let orders = customers.zip((1..=12).map(|number| (number, number * 250)));
    try_join_all(orders.map(|(customer, order)| place(&client, &exports, customer, order))).await?;
    client.wait_until_idle().await?;
    worker.stop().await;
    let exported = sink.exported()?;
    print(&exported);

    // After a crash between the commit of SQLite and that of the queue, another process gets the
    // same entries again.
    let sink = SqliteSink::open(&database)?;
    sink.clone().export(exported.clone().into()).await?;
    assert_eq!(sink.exported()?, exported);
    println!("{} orders came again and were ignored", exported.len());
    Ok(())
}

/// Places an order and adds it to the queue, in one transaction.
async fn place(
    client: &Client,
    exports: &ExportQueue<String, Order>,
    customer: &str,
    order: Order,
) -> fluo::Result<()> {
    let (number, cents) = order;
    client
        .run(async |tx| {
            tx.set(format!("order:{number:06}"), &CENTS, cents)?;
            ORDERS.increment(&tx, format!("customer:{customer}"), 1).await?;
            exports.add(&tx, customer, order)
        })
        .await
}

/// Prints the orders of each customer.
fn print(exported: &[Export<String, Order>]) {
    let mut customers = BTreeMap::<&str, (BTreeSet<u64>, u64)>::new();
    for order in exported {
        let (number, cents) = order.value;
        let (numbers, sum) = customers.entry(&order.key).or_default();
        assert!(numbers.insert(number), "SQLite has order {number} twice");
        *sum += cents;
    }
    for (customer, (numbers, cents)) in customers {
        println!("{customer}: orders {numbers:?}, {cents} cents");
    }
}
