//! The program of `docs/tour.md` in one file. A test compares the two.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::Path;

use anyhow::{Result, bail, ensure};
use fluo::{
    Bytes, Client, Column, Error, InstanceExt, LoaderOptions, Observers, Snapshot, Span,
    Transaction, Worker, WorkerOptions, observer_fn,
};
use fluo_table::Scan;
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let observers = Observers::new().strong(ordered(), "bill", observer_fn(bill))?;
    let client = open_shop(directory.path(), &observers).await?;

    first_money(&client).await?;
    two_customers(&client).await?;
    conflicting_payments(&client).await?;
    yesterday(&client).await?;
    orders(&client).await?;
    bills(&client, observers.clone()).await?;

    drop(client);
    reopened(&open_shop(directory.path(), &observers).await?).await
}

async fn open_shop(directory: &Path, observers: &Observers) -> Result<Client> {
    let fluo = fluo_embedded::open(directory)?;
    let shop = fluo.application("shop").observers(observers);
    println!("the shop was {}", shop.status().await?);
    Ok(shop.open_or_create().await?)
}

fn money() -> Column {
    Column::new("customer", "money")
}

fn ordered() -> Column {
    Column::new("order", "amount")
}

fn billed() -> Column {
    Column::new("order", "billed")
}

async fn first_money(client: &Client) -> Result<()> {
    client
        .run(async |tx| tx.set("alice", &money(), "100"))
        .await?;
    client.run(async |tx| tx.set("bob", &money(), "20")).await?;

    let now = client.snapshot().await?;
    let (alice, carol) = (number(&now, "alice").await?, number(&now, "carol").await?);
    println!("alice has {alice}, carol has {carol}");
    ensure!((alice, carol) == (100, 0));
    Ok(())
}

/// Returns the money of a customer in a snapshot.
async fn number(snapshot: &Snapshot, customer: &'static str) -> Result<u64, Error> {
    let value = snapshot.get(customer, &money()).await?;
    Ok(parsed(value))
}

fn parsed(value: Option<Bytes>) -> u64 {
    value
        .and_then(|value| std::str::from_utf8(&value).ok()?.parse().ok())
        .unwrap_or(0)
}

async fn two_customers(client: &Client) -> Result<()> {
    pay(client, "alice", "bob", 30).await?;
    let Err(poor) = pay(client, "bob", "alice", 1_000).await else {
        bail!("bob paid more money than he had");
    };
    println!("{poor}");

    let now = client.snapshot().await?;
    let (alice, bob) = (number(&now, "alice").await?, number(&now, "bob").await?);
    println!("alice has {alice}, bob has {bob}");
    ensure!((alice, bob) == (70, 50));
    Ok(())
}

async fn pay(client: &Client, from: &'static str, to: &'static str, amount: u64) -> Result<()> {
    client
        .run(async |tx| {
            let (before, other) = (number(&tx, from).await?, number(&tx, to).await?);
            ensure!(
                before >= amount,
                "{from} has {before} and cannot pay {amount}"
            );
            tx.set(from, &money(), (before - amount).to_string())?;
            tx.set(to, &money(), (other + amount).to_string())?;
            Ok(())
        })
        .await
}

async fn conflicting_payments(client: &Client) -> Result<()> {
    let slow = client.begin().await?;
    let seen = number(&slow, "alice").await?;
    pay(client, "alice", "bob", 10).await?;
    slow.set("alice", &money(), (seen + 1).to_string())?;
    let Err(conflict) = slow.commit().await else {
        bail!("two transactions wrote one cell, and both committed");
    };
    println!("{conflict}");

    // `run` retries: of twenty concurrent payments, no update is lost.
    let payments = (0..20).map(|_| pay(client, "bob", "alice", 5));
    let paid = futures::future::join_all(payments).await;
    let paid = paid.iter().filter(|paid| paid.is_ok()).count();
    println!("{paid} of 20 payments");
    ensure!(paid == 12);
    Ok(())
}

async fn yesterday(client: &Client) -> Result<()> {
    let yesterday = client.snapshot().await?;
    client.run(async |tx| tx.delete("bob", &money())).await?;
    client
        .run(async |tx| tx.set("carol", &money(), "5"))
        .await?;

    let customers = async |snapshot: &Snapshot| -> Result<usize> {
        let cells = snapshot.scan(Scan::over(Span::all())).try_concat().await?;
        Ok(cells
            .iter()
            .filter(|cell| cell.key.column == money())
            .count())
    };
    let today = client.snapshot().await?;
    for (day, snapshot) in [("yesterday", &yesterday), ("today", &today)] {
        let has_bob = snapshot.get("bob", &money()).await?.is_some();
        let customers = customers(snapshot).await?;
        println!("{day}: {customers} customers, with bob: {has_bob}");
    }
    Ok(())
}

async fn orders(client: &Client) -> Result<()> {
    let loaders = client.loaders(LoaderOptions::new())?;
    for order in 1..=5 {
        loaders
            .load(format!("order{order}"), async |tx, order| {
                tx.set(order, &ordered(), "2")
            })
            .await?;
    }
    loaders.finish().await?;

    let now = client.snapshot().await?;
    let orders = now
        .scan_prefix("order", [&ordered()])
        .try_concat()
        .await?
        .len();
    println!("{orders} orders");
    ensure!(orders == 5);
    Ok(())
}

async fn bill(tx: Transaction, order: Bytes, amount: Column) -> Result<(), Error> {
    // Notifications are written before the commit, so the order may not have been committed.
    let Some(price) = tx.get(order.clone(), &amount).await? else {
        return Ok(());
    };
    let price = parsed(Some(price));
    let left = number(&tx, "alice").await?.saturating_sub(price);
    tx.set("alice", &money(), left.to_string())?;
    tx.set(order, &billed(), "alice")
}

async fn bills(client: &Client, observers: Observers) -> Result<()> {
    let before = number(&client.snapshot().await?, "alice").await?;
    let worker = Worker::start(client, observers, WorkerOptions::new()).await?;
    client.wait_until_idle().await?;
    worker.stop().await;

    let now = client.snapshot().await?;
    let after = number(&now, "alice").await?;
    println!("alice had {before} and has {after}");
    ensure!(after == before - 10);
    ensure!(now.get("order3", &billed()).await?.as_deref() == Some(&b"alice"[..]));
    Ok(())
}

async fn reopened(client: &Client) -> Result<()> {
    let alice = number(&client.snapshot().await?, "alice").await?;
    println!("alice still has {alice}");
    ensure!(alice == 110);
    Ok(())
}
