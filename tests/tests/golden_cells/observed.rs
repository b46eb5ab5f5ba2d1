//! What a transaction writes that a notification started.

use std::time::Duration;

use fluo_core::{
    Bytes, Column, Error, Filter, Observers, Scan, Span, TableExt, Transaction, Worker,
    WorkerSettings, observer_fn,
};

use crate::ground::{Ground, links, text};

pub(crate) const GOLDEN: [&str; 4] = [
    "strong, only acknowledged",
    "strong, written",
    "weak",
    "weak, nothing written",
];

/// Runs a body once, for the notification of a cell, and shows what comes of it.
async fn observe<F>(
    name: &str,
    column: Column,
    body: impl Fn(Transaction, Bytes, Column) -> F + Send + Sync + 'static,
) where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    let ground = Ground::new().await;
    let client = ground.client().await;
    let observers = match column == text() {
        true => Observers::new()
            .strong(text(), "text", observer_fn(body))
            .and_then(|observers| observers.weak(links(), "links", observer_fn(nothing))),
        false => Observers::new()
            .weak(links(), "links", observer_fn(body))
            .and_then(|observers| observers.strong(text(), "text", observer_fn(nothing))),
    };
    let set = async |tx: Transaction| match column == text() {
        true => tx.set("b.org", &text(), "One"),
        false => tx.notify("b.org", &links()),
    };
    client.run(set).await.unwrap();
    ground.table.take_notes().await;
    let settings = WorkerSettings {
        tasks: 1,
        ..WorkerSettings::default()
    };
    let worker = Worker::start(&client, observers.unwrap(), settings).await.unwrap();
    let waiting = Scan::over(Span::all()).filter(Filter::Notifications { share: None });
    while !ground.table.read(waiting.clone()).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    worker.stop().await;
    ground.is_on_the_page(name).await;
}

#[tokio::test]
async fn a_strong_observer_that_writes_other_cells() {
    observe("strong, only acknowledged", text(), measure).await;
}

async fn measure(tx: Transaction, row: Bytes, text: Column) -> Result<(), Error> {
    let text = tx.get(row.clone(), &text).await?.unwrap_or_default();
    let length = Column::new("page", "length");
    tx.set("a.org", &length, text.len().to_string())?;
    tx.set(row, &length, text.len().to_string())
}

/// What it sets notifies it again; then there is nothing left to do.
#[tokio::test]
async fn a_strong_observer_that_writes_what_it_observes() {
    observe("strong, written", text(), in_lower_case).await;
}

async fn in_lower_case(tx: Transaction, row: Bytes, text: Column) -> Result<(), Error> {
    let before = tx.get(row.clone(), &text).await?.unwrap_or_default();
    let after = before.to_ascii_lowercase();
    match after == before {
        true => Ok(()),
        false => tx.set(row, &text, after),
    }
}

#[tokio::test]
async fn a_weak_observer() {
    observe("weak", links(), count).await;
}

async fn count(tx: Transaction, row: Bytes, _: Column) -> Result<(), Error> {
    tx.set(row, &Column::new("page", "count"), "0")
}

#[tokio::test]
async fn a_weak_observer_that_writes_nothing() {
    observe("weak, nothing written", links(), nothing).await;
}

async fn nothing(_: Transaction, _: Bytes, _: Column) -> Result<(), Error> {
    Ok(())
}
