//! A client whose session ends while it runs.
//!
//! Such a client once continued with a number that all other clients treated as dead. They rolled
//! back every transaction of it that they met, for as long as the client ran.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Client, RetryPolicy};
use fluo_table::{ErrorKind, Instance, Outcome, Result, Span};
use futures::future::join_all;

use super::accounts::{balance, balances, hasty, read, set};
use crate::{Call, CoordinationCall, Fault, Fixture, Hooks, Intercepted, until};

pub async fn a_client_continues_as_a_new_transactor_after_its_session_ends(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    // A client without a publication notices the end of its session when it begins a transaction.
    let idle = fixture.client().await;
    let number = idle.transactor();
    fixture.end_session(&idle).await;
    set(&idle, &[("alice", 1)]).await;
    assert!(idle.transactor() > number && fixture.is_alive(&idle).await);

    // A busy client notices it when it publishes. From then on its publication protects its reads
    // again.
    let busy = idle;
    let number = busy.transactor();
    let held = busy.snapshot().await.unwrap();
    set(&busy, &[("alice", 2)]).await;
    fixture.end_session(&busy).await;
    busy.advance_horizon().await.unwrap();
    assert!(busy.transactor() > number && fixture.is_alive(&busy).await);
    let next = busy.snapshot().await.unwrap();
    let other = fixture.client().await;
    let horizon = other.collect_garbage(&*fixture.tables, &Span::all()).await.unwrap();
    assert!(horizon <= held.start());
    assert_eq!((read(&held, "alice").await, read(&next, "alice").await), (1, 2));
    drop((held, next));

    // An idle client notices it after a while.
    let options = hasty().horizon_period(Duration::from_millis(20));
    let quiet = fixture.client_of(fixture.table.clone(), options).await;
    fixture.end_session(&quiet).await;
    until("the client has a session", async || fixture.is_alive(&quiet).await).await;
}

/// Checks that all transactions begin that begin concurrently after the session has ended.
///
/// Some were rejected under the ended number, and checked whether it was alive after another one
/// had already begun a new transactor. That one is alive, so they returned the rejection to their
/// callers.
pub async fn all_concurrent_transactions_begin_after_a_session_ends(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    for _ in 0..20 {
        let number = client.transactor();
        fixture.end_session(&client).await;
        let begin = || {
            let client = client.clone();
            tokio::spawn(async move { client.begin().await.map(drop) })
        };
        let beginning: Vec<_> = (0..64).map(|_| begin()).collect();
        for begun in join_all(beginning).await {
            begun.unwrap().unwrap();
        }
        assert!(client.transactor() > number && fixture.is_alive(&client).await);
        // No transaction is open now, so the transactions of the next round must publish again.
        client.advance_horizon().await.unwrap();
    }
}

/// Checks that a client withdraws a publication whose answer was lost.
///
/// The answer to the first publication under the new number was lost. The client assumed that
/// nothing was published and never withdrew it. The horizon did not move while the client had no
/// open transaction.
pub async fn a_publication_with_a_lost_answer_is_withdrawn(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let (client, faulty) = fixture.faulty_client().await;
    let held = client.snapshot().await.unwrap();
    fixture.end_session(&client).await;
    // The client publishes and is rejected, checks whether it is alive, begins a new transactor,
    // and publishes again.
    let next = faulty.calls().len() + 3;
    let _plan = faulty.clone().fail_call(next, Fault::After);
    let error = client.advance_horizon().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uncertain);
    let published = CoordinationCall::Publish(client.transactor(), Some(held.start()));
    assert_eq!(faulty.calls().last(), Some(&published));
    let start = held.start();
    let other = fixture.client().await;
    assert_eq!(other.advance_horizon().await.unwrap(), start);
    drop(held);
    assert!(client.advance_horizon().await.unwrap() > start);
}

/// Checks that a transaction of an ended session is retried under a new number. Another client
/// reads its locked cell after each attempt. It rolls back the transaction of the ended number, and
/// waits for the one of the new number.
pub async fn a_transaction_of_an_ended_session_is_retried_by_a_new_transactor(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let options = hasty().rollback_after(Duration::from_secs(600));
    let reader = fixture.client_of(fixture.table.clone(), options).await;
    let table = Intercepted::with_hooks(fixture.table.clone(), Met(reader.clone())).row_by_row();
    let client = fixture.client_of(Arc::new(table), hasty()).await;
    // The client has a publication already, so it does not notice the end of its session when it
    // begins.
    let _open = client.snapshot().await.unwrap();
    let number = client.transactor();
    fixture.end_session(&client).await;
    let policy = RetryPolicy::new().max_attempts(NonZeroU32::new(3));
    let run = client.runner().retry(policy);
    run.run(async |tx| {
        tx.set("alice", &balance(), "7")?;
        tx.set("bob", &balance(), "7")
    })
    .await
    .unwrap();
    assert!(client.transactor() > number && fixture.is_alive(&client).await);
    assert_eq!(balances(&reader, ["alice", "bob"]).await.unwrap(), [7, 7]);
    fixture.wait_until_unlocked().await;
}

/// Hooks with which a client reads an account after each conditional write.
struct Met(Client);

#[async_trait]
impl Hooks for Met {
    async fn after(&self, call: &Call, _: &mut Result<Vec<Outcome>>) {
        if matches!(call, Call::WriteConditional(_)) {
            let reading = balances(&self.0, ["alice"]);
            // A reader that waits for the lock of a live client has met it.
            drop(tokio::time::timeout(Duration::from_millis(300), reading).await);
        }
    }
}
