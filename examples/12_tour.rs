//! The program of `docs/tour.md`, all in one: a test compares the two.

use anyhow::{Result, bail, ensure};
use fluo_core::admin::{Initialization, initialize};
use fluo_core::{
    Bytes, Client, ClientSettings, Column, Error, Observers, Scan, Snapshot, Span, Transaction,
    Worker, WorkerSettings, observer_fn,
};
use fluo_embedded::{EmbeddedTables, Settings};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory.path(), settings)?;
    let applications = tables.applications();

    let observers = Observers::new().strong(ordered(), "bill", observer_fn(bill))?;
    let initialization = Initialization {
        observers: observers.observed_columns(),
        ..Initialization::new("2c7b0f3e-9a7e-4f0b-8e55-0f6a1d2c3b4a", "shop")
    };
    initialize(&tables, &applications, "shop", initialization).await?;
    let client =
        Client::open_application(&tables, &applications, "shop", ClientSettings::default()).await?;

    first_money(&client).await?;
    two_customers(&client).await?;
    in_the_way(&client).await?;
    yesterday(&client).await?;
    bills(&client, observers).await
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
    ensure!(number(&now, "alice").await? == 100);
    ensure!(number(&now, "carol").await? == 0);
    Ok(())
}

/// What a customer has, at the time of a snapshot.
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
        bail!("bob has paid what he did not have");
    };
    ensure!(poor.to_string() == "bob has 50 and cannot pay 1000");

    let now = client.snapshot().await?;
    ensure!(number(&now, "alice").await? == 70);
    ensure!(number(&now, "bob").await? == 50);
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

async fn in_the_way(client: &Client) -> Result<()> {
    let slow = client.begin().await?;
    let seen = number(&slow, "alice").await?;
    pay(client, "alice", "bob", 10).await?;
    slow.set("alice", &money(), (seen + 1).to_string())?;
    let Err(conflict) = slow.commit().await else {
        bail!("nobody was in the way");
    };
    ensure!(
        conflict
            .to_string()
            .contains("met another one at `alice customer:money`"),
        "{conflict}"
    );

    // `run` does it until it works: twenty at once, and nothing is lost.
    let payments = (0..20).map(|_| pay(client, "bob", "alice", 5));
    let paid = futures::future::join_all(payments).await;
    ensure!(paid.iter().filter(|paid| paid.is_ok()).count() == 12);
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
    ensure!(yesterday.get("carol", &money()).await?.is_none());
    ensure!(today.get("bob", &money()).await?.is_none());
    ensure!(customers(&yesterday).await? == 2 && customers(&today).await? == 2);
    Ok(())
}

async fn bill(tx: Transaction, order: Bytes, amount: Column) -> Result<(), Error> {
    // A notification may be in vain: whoever was to write the order has died.
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
    client
        .run(async |tx| {
            (1..=5).try_for_each(|order| tx.set(format!("order{order}"), &ordered(), "2"))
        })
        .await?;

    let worker = Worker::start(client, observers, WorkerSettings::default()).await?;
    client.wait_until_idle().await?;
    let now = client.snapshot().await?;
    ensure!(number(&now, "alice").await? == before - 10);
    ensure!(now.get("order3", &billed()).await?.as_deref() == Some(&b"alice"[..]));
    worker.stop().await;
    Ok(())
}
