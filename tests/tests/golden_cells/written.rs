//! The writes of a transaction without conflicts.

use fluo_table::layout::{EntryKind, EntryTimestamp};

use crate::recorded::{Recorded, balance, links, text, transfer};

pub(crate) const GOLDEN: [&str; 4] = ["one row", "several rows", "notifications", "one step"];

#[tokio::test]
async fn the_page_shows_a_transaction_of_one_row() {
    let recorded = Recorded::new().await;
    let client = recorded.client().await;
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "100").unwrap();
    tx.delete("alice", &fluo_table::Column::new("account", "limit")).unwrap();
    tx.commit().await.unwrap();
    recorded.is_on_the_page("one row").await;
}

#[tokio::test]
async fn the_page_shows_a_transaction_of_several_rows() {
    let recorded = Recorded::new().await;
    let client = recorded.client().await;
    transfer(&client).await.commit().await.unwrap();
    recorded.is_on_the_page("several rows").await;
}

#[tokio::test]
async fn the_page_shows_a_transaction_in_one_step() {
    let recorded = Recorded::together().await;
    let client = recorded.client().await;
    transfer(&client).await.commit().await.unwrap();
    recorded.is_on_the_page("one step").await;
}

/// Compares the final cells on both kinds of tables, which are equal but for the locks.
#[tokio::test]
async fn rows_that_are_written_together_have_the_same_cells() {
    let mut cells = Vec::new();
    for recorded in [Recorded::new().await, Recorded::together().await] {
        let client = recorded.client().await;
        let tx = transfer(&client).await;
        tx.set("a.org", &text(), "one").unwrap();
        tx.notify("c.org", &links()).unwrap();
        tx.commit().await.unwrap();
        let mut written = recorded.fixture.cells().await;
        written.retain(|cell| {
            let kind = EntryTimestamp::decode(cell.key.timestamp).map(|stamp| stamp.kind);
            let is_lock = matches!(kind, Some(EntryKind::Lock | EntryKind::ReadLock));
            !is_lock || &cell.key.column.family[..] == b"ntfy"
        });
        cells.push(written);
    }
    assert!(cells[0].len() > 10, "{:?}", cells[0]);
    assert_eq!(cells[0], cells[1]);
}

#[tokio::test]
async fn the_page_shows_a_transaction_that_notifies() {
    let recorded = Recorded::new().await;
    let client = recorded.client().await;
    let tx = client.begin().await.unwrap();
    tx.set("a.org", &text(), "one").unwrap();
    tx.set("b.org", &text(), "two").unwrap();
    tx.notify("c.org", &links()).unwrap();
    tx.commit().await.unwrap();
    recorded.is_on_the_page("notifications").await;
}
