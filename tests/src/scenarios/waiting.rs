//! Locks of live clients.

use std::time::Duration;

use fluo_table::Instance;

use super::accounts::{balances, cut_off, hasty, set};
use crate::Fixture;

/// Checks that a reader waits for a transaction that hangs in its commit, and does not roll it back
/// before the timeout.
pub async fn a_reader_waits_for_the_lock_of_a_live_client(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    set(&fixture.client().await, &[("alice", 1), ("bob", 1)]).await;
    let (hanging, committed) = cut_off(&fixture, 2).await;
    committed.unwrap_err();
    assert_eq!(fixture.locked().await.len(), 2);

    let patient = fixture
        .client_of(fixture.table.clone(), hasty().rollback_after(Duration::from_secs(600)))
        .await;
    let reading = balances(&patient, ["alice", "bob"]);
    let read = tokio::time::timeout(Duration::from_millis(500), reading).await;
    assert!(read.is_err(), "it did not wait: {read:?}");
    assert_eq!(fixture.locked().await.len(), 2);
    // After the other client is dropped, its locks are resolved.
    drop(hanging);
    assert_eq!(balances(&patient, ["alice", "bob"]).await.unwrap(), [1, 1]);
    fixture.wait_until_unlocked().await;
}

/// Checks that a reader rolls a transaction forward if its primary is committed, although its
/// client is alive.
pub async fn a_committed_transaction_of_a_live_client_is_rolled_forward(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let patience = Duration::from_secs(600);
    let patient = hasty().rollback_after(patience);
    let client = fixture.client_of(fixture.table.clone(), patient).await;
    set(&client, &[("alice", 1), ("bob", 1)]).await;
    // The owner has committed its primary, and is cut off before it commits the secondary.
    let (_owner, committed) = cut_off(&fixture, 3).await;
    committed.unwrap();
    assert_eq!(fixture.locked().await.len(), 1);
    assert_eq!(balances(&client, ["alice", "bob"]).await.unwrap(), [2, 2]);
    fixture.wait_until_unlocked().await;
}
