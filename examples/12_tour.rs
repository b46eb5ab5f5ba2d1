//! The program of `docs/tour.md` in one file. A test compares the two.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::Path;

use anyhow::{Result, bail, ensure};
use fluo::{Bytes, Client, Column, Error, Fluo, Scan, Snapshot, Span, Transaction};
use futures::TryStreamExt;

const MONEY: Column = Column::from_static("customer", "money");
const ORDERED: Column = Column::from_static("order", "amount");
const BILLED: Column = Column::from_static("order", "billed");

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let client = open_shop(directory.path()).await?;

    first_money(&client).await?;
    two_customers(&client).await?;
    conflicting_payments(&client).await?;
    yesterday(&client).await?;
    orders(&client).await?;
    bills(&client).await?;

    drop(client);
    reopened(&open_shop(directory.path()).await?).await
}

async fn open_shop(directory: &Path) -> Result<Client> {
    let fluo = Fluo::open(directory)?;
    let shop = fluo.application("shop").observe(&ORDERED, "bill", bill);
    println!("the shop was {}", shop.status().await?);
    Ok(shop.open_or_create().await?)
}

async fn first_money(client: &Client) -> Result<()> {
    client.run(async |tx| tx.set("alice", &MONEY, "100")).await?;
    client.run(async |tx| tx.set("bob", &MONEY, "20")).await?;

    let now = client.snapshot().await?;
    let (alice, carol) = (number(&now, "alice").await?, number(&now, "carol").await?);
    println!("alice has {alice}, carol has {carol}");
    ensure!((alice, carol) == (100, 0));
    Ok(())
}

/// Returns the money of a customer in a snapshot.
async fn number(snapshot: &Snapshot, customer: &'static str) -> Result<u64, Error> {
    let value = snapshot.get(customer, &MONEY).await?;
    parsed(value)
}

/// Parses an amount; without one it is 0.
fn parsed(value: Option<Bytes>) -> Result<u64, Error> {
    let Some(value) = value else { return Ok(0) };
    let amount = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
    amount.ok_or_else(|| Error::corrupt("an amount is not a number"))
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
            ensure!(before >= amount, "{from} has {before} and cannot pay {amount}");
            tx.set(from, &MONEY, (before - amount).to_string())?;
            tx.set(to, &MONEY, (other + amount).to_string())?;
            Ok(())
        })
        .await
}

async fn conflicting_payments(client: &Client) -> Result<()> {
    let slow = client.begin().await?;
    let seen = number(&slow, "alice").await?;
    pay(client, "alice", "bob", 10).await?;
    slow.set("alice", &MONEY, (seen + 1).to_string())?;
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
    client.run(async |tx| tx.delete("bob", &MONEY)).await?;
    client.run(async |tx| tx.set("carol", &MONEY, "5")).await?;

    let customers = async |snapshot: &Snapshot| -> Result<usize> {
        let cells = snapshot.scan(Scan::over(Span::all())).try_concat().await?;
        Ok(cells.iter().filter(|cell| cell.key.column == MONEY).count())
    };
    let today = client.snapshot().await?;
    for (day, snapshot) in [("yesterday", &yesterday), ("today", &today)] {
        let has_bob = snapshot.get("bob", &MONEY).await?.is_some();
        let customers = customers(snapshot).await?;
        println!("{day}: {customers} customers, with bob: {has_bob}");
    }
    Ok(())
}

async fn orders(client: &Client) -> Result<()> {
    let loaders = client.loaders().start()?;
    for order in 1..=5 {
        loaders
            .load(format!("order{order}"), async |tx, order| tx.set(order, &ORDERED, "2"))
            .await?;
    }
    loaders.finish().await?;

    let now = client.snapshot().await?;
    let orders = now.scan_prefix("order", [&ORDERED]).try_concat().await?.len();
    println!("{orders} orders");
    ensure!(orders == 5);
    Ok(())
}

async fn bill(tx: Transaction, order: Bytes) -> Result<(), Error> {
    // Notifications are written before the commit, so the order may not have been committed. And if
    // it has been billed, it may be notified again for a commit that failed.
    let price = tx.get(order.clone(), &ORDERED).await?;
    if price.is_none() || tx.get(order.clone(), &BILLED).await?.is_some() {
        return Ok(());
    }
    let price = parsed(price)?;
    let left = number(&tx, "alice").await?.saturating_sub(price);
    tx.set("alice", &MONEY, left.to_string())?;
    tx.set(order, &BILLED, "alice")
}

async fn bills(client: &Client) -> Result<()> {
    let before = number(&client.snapshot().await?, "alice").await?;
    let worker = client.worker().start().await?;
    client.wait_until_idle().await?;
    worker.stop().await;

    let now = client.snapshot().await?;
    let after = number(&now, "alice").await?;
    println!("alice had {before} and has {after}");
    ensure!(after == before - 10);
    ensure!(now.get("order3", &BILLED).await?.as_deref() == Some(&b"alice"[..]));
    Ok(())
}

async fn reopened(client: &Client) -> Result<()> {
    let alice = number(&client.snapshot().await?, "alice").await?;
    println!("alice still has {alice}");
    ensure!(alice == 110);
    Ok(())
}
