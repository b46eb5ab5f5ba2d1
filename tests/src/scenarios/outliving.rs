//! A transaction that outlives all handles of its client.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::TransactorId;
use fluo_table::{Instance, Outcome, Result};
use tokio::time::timeout;

use super::accounts::{balance, balances, hasty, read, set};
use crate::{Call, Fixture, Hooks, Intercepted, Latch, until};

/// Checks that a client counts as alive as long as one of its transactions is open, and no longer.
pub async fn an_open_transaction_keeps_its_client_alive(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let table = Intercepted::with_hooks(fixture.table.clone(), Pausing::default());
    let table = Arc::new(table.row_by_row());
    let latch = &table.hooks().0;
    let client = fixture.client_of(table.clone(), hasty()).await;
    latch.open();
    set(&client, &[("alice", 1), ("bob", 1)]).await;
    let transactor = client.transactor();
    let tx = client.begin().await.unwrap();
    drop(client);

    assert_eq!(read(&tx, "alice").await, 1);
    tx.set("alice", &balance(), "2").unwrap();
    tx.set("bob", &balance(), "2").unwrap();
    latch.close();
    let committing = tokio::spawn(tx.commit());
    latch.holds_a_task().await;
    assert_eq!(fixture.locked().await.len(), 1);
    assert!(is_alive(&fixture, transactor).await, "C6");
    let patient = hasty().rollback_after(Duration::from_secs(600));
    let other = fixture.client_of(fixture.table.clone(), patient).await;
    let reading = timeout(Duration::from_millis(300), balances(&other, ["alice"]));
    assert!(reading.await.is_err(), "R3: the reader did not wait");
    assert_eq!(fixture.locked().await.len(), 1, "R3: it was rolled back");
    latch.open();
    let committed = committing.await.unwrap().unwrap();
    assert!(committed.commit.is_some());
    assert_eq!(balances(&other, ["alice", "bob"]).await.unwrap(), [2, 2]);
    fixture.wait_until_unlocked().await;
    ends(&fixture, transactor).await;

    // A dropped transaction also ends the session.
    let client = fixture.client().await;
    let transactor = client.transactor();
    let tx = client.begin().await.unwrap();
    tx.set("bob", &balance(), "3").unwrap();
    drop(client);
    assert!(is_alive(&fixture, transactor).await, "C6");
    drop(tx);
    ends(&fixture, transactor).await;
    assert_eq!(balances(&other, ["bob"]).await.unwrap(), [2]);
}

async fn is_alive(fixture: &Fixture, transactor: TransactorId) -> bool {
    fixture.coordination.is_alive(transactor).await.unwrap()
}

/// Waits until the session of a client that was dropped ends.
async fn ends(fixture: &Fixture, transactor: TransactorId) {
    until("C6: the session ends", async || !is_alive(fixture, transactor).await).await;
}

/// Hooks of a table whose conditional writes take effect but do not return while the latch is
/// closed.
#[derive(Debug, Default)]
struct Pausing(Latch);

#[async_trait]
impl Hooks for Pausing {
    async fn after(&self, call: &Call, _: &mut Result<Vec<Outcome>>) {
        if matches!(call, Call::WriteConditional(_)) {
            self.0.pass().await;
        }
    }
}
