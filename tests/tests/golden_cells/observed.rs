//! The writes of a transaction that a notification started.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Observers, Transaction, observer_fn};
use fluo_table::layout::{Partition, notification_column};
use fluo_table::{Bytes, Column, Error, Filter, Scan, Span, Table};
use tokio::sync::Notify;

use crate::recorded::{Recorded, links, text};

const ROW_OF_THE_SECOND: &str = "c.org";

pub(crate) const GOLDEN: [&str; 5] = [
    "strong, only acknowledged",
    "strong, written",
    "strong, acknowledged by another",
    "weak",
    "weak, nothing written",
];

/// Runs a body for the notification of a cell, and records its writes.
async fn observe<F>(
    column: Column,
    body: impl Fn(Transaction, Bytes, Column) -> F + Send + Sync + 'static,
) -> Recorded
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    let recorded = Recorded::new().await;
    let client = recorded.client().await;
    let observers = match column == text() {
        true => with_strong(body),
        false => Observers::new()
            .weak(links(), "links", observer_fn(body))
            .and_then(|observers| observers.strong(text(), "text", observer_fn(nothing)))
            .unwrap(),
    };
    let set = async |tx: Transaction| match column == text() {
        true => tx.set("b.org", &text(), "One"),
        false => tx.notify("b.org", &links()),
    };
    client.run(set).await.unwrap();
    recorded.table.hooks().take_notes().await;
    let client = client.with_observers(observers);
    let worker = client.worker().tasks(1).start().await.unwrap();
    nothing_is_notified(&recorded).await;
    worker.stop().await;
    recorded
}

/// Returns observers of both columns. The strong one runs this body.
fn with_strong<F>(
    body: impl Fn(Transaction, Bytes, Column) -> F + Send + Sync + 'static,
) -> Observers
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    Observers::new()
        .strong(text(), "text", observer_fn(body))
        .and_then(|observers| observers.weak(links(), "links", observer_fn(nothing)))
        .unwrap()
}

/// Waits until no notification is left.
async fn nothing_is_notified(recorded: &Recorded) {
    let waiting = Scan::over(Span::all()).filter(Filter::Notifications { share: None });
    let table: &dyn Table = &*recorded.table;
    while !table.read(waiting.clone()).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn the_page_shows_a_strong_observer_that_writes_other_cells() {
    let recorded = observe(text(), measure).await;
    recorded.is_on_the_page("strong, only acknowledged").await;
}

async fn measure(tx: Transaction, row: Bytes, text: Column) -> Result<(), Error> {
    let text = tx.get(row.clone(), &text).await?.unwrap_or_default();
    let length = Column::new("page", "length");
    tx.set("a.org", &length, text.len().to_string())?;
    tx.set(row, &length, text.len().to_string())
}

/// Notifies itself by its own write. The second run finds nothing to do.
#[tokio::test]
async fn the_page_shows_a_strong_observer_that_writes_its_own_cell() {
    let recorded = observe(text(), in_lower_case).await;
    recorded.part_is_on_the_page("strong, written").await;
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
async fn the_page_shows_a_weak_observer() {
    let recorded = observe(links(), count).await;
    recorded.is_on_the_page("weak").await;
}

async fn count(tx: Transaction, row: Bytes, _: Column) -> Result<(), Error> {
    tx.set(row, &Column::new("page", "count"), "0")
}

#[tokio::test]
async fn the_page_shows_a_weak_observer_that_writes_nothing() {
    let recorded = observe(links(), nothing).await;
    recorded.is_on_the_page("weak, nothing written").await;
}

async fn nothing(_: Transaction, _: Bytes, _: Column) -> Result<(), Error> {
    Ok(())
}

/// Runs one notification in two workers. The first worker begins it; then the second one joins and
/// takes over the cell.
#[tokio::test]
async fn the_page_shows_a_notification_that_another_worker_has_processed() {
    let recorded = Recorded::new().await;
    let (client, other) = (recorded.client().await, recorded.client().await);
    client.run(async |tx| tx.set(ROW_OF_THE_SECOND, &text(), "One")).await.unwrap();
    recorded.table.hooks().take_notes().await;

    let (begun, resume) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = {
        let (begun, resume) = (begun.clone(), resume.clone());
        move |_: Transaction, _: Bytes, _: Column| {
            let (begun, resume) = (begun.clone(), resume.clone());
            async move {
                begun.notify_one();
                resume.notified().await;
                Ok::<_, Error>(())
            }
        }
    };
    let client = client.with_observers(with_strong(slow));
    let first = client.worker().start().await.unwrap();
    begun.notified().await;
    let other = other.with_observers(with_strong(nothing));
    let second = other.worker().start().await.unwrap();
    nothing_is_notified(&recorded).await;
    second.stop().await;
    recorded.table.hooks().take_notes().await;
    resume.notify_one();
    first.stop().await;
    recorded.is_on_the_page("strong, acknowledged by another").await;
}

#[test]
fn the_row_belongs_to_the_second_of_two_workers() {
    let two = NonZeroU32::MIN.saturating_add(1);
    let second = Partition::new(two, 1).unwrap();
    assert!(second.contains(ROW_OF_THE_SECOND.as_bytes(), &notification_column(&text()).qualifier));
}
