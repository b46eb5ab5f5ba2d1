//! Clients of one application with different authorizations.

use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, CommitError, CommitInfo};
use fluo_table::{Authorizations, Column, ErrorKind, Table};
use fluo_tests::Fixture;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::gated::{Gate, Gated};

fn plain() -> Column {
    Column::new("f", "q")
}

fn secret() -> Column {
    plain().with_visibility("secret")
}

async fn with_labels<const N: usize>(
    fixture: &Fixture,
    labels: [&'static str; N],
) -> Arc<dyn Table> {
    let labels = Authorizations::from_iter(labels);
    fixture.tables.open_table("web", labels).await.unwrap()
}

/// Reproduces a bug: a transaction wrote a cell with the label `secret` and one without. Its
/// smallest cell, the primary, was the labeled one. A client without the label read the other cell
/// during the transaction, and got `Corrupt`. If the owner had crashed, no client without the label
/// could read the cell again.
#[tokio::test(start_paused = true)]
async fn chooses_a_cell_without_a_label_as_the_primary() {
    for let_through in [2, 3] {
        let fixture = Fixture::in_memory().await;
        let stalled = Gated::after(let_through, &with_labels(&fixture, ["secret"]).await);
        let writer = fixture.client_on(stalled.clone()).await;
        let tx = writer.begin().await.unwrap();
        tx.set("a", &secret(), "1").unwrap();
        tx.set("b", &plain(), "1").unwrap();
        let commit = tokio::spawn(tx.commit());
        stalled.hooks().latch.holds_a_task().await;

        let reader = fixture.client().await;
        let snapshot = reader.snapshot().await.unwrap();
        let value = timeout(Duration::from_secs(2), snapshot.get("b", &plain())).await;
        // After its commit the other cell is committed; before it the reader waits for the owner.
        match let_through {
            2 => assert!(value.is_err(), "{value:?}"),
            _ => assert_eq!(value.unwrap().unwrap().as_deref(), Some(&b"1"[..])),
        }
        commit.abort();
        fixture.end_session(&writer).await;
        let value = snapshot.get("b", &plain()).await.unwrap();
        let expected = (let_through == 3).then_some(&b"1"[..]);
        assert_eq!(value.as_deref(), expected, "{let_through}");
    }
}

/// A transaction that hangs before its commit point, and a reader that sees only the cell beside
/// its primary.
struct HalfSeen {
    fixture: Fixture,
    stalled: Arc<Gate>,
    writer: Client,
    commit: JoinHandle<Result<CommitInfo, CommitError>>,
    reader: Client,
    /// The column of the cell that the reader sees.
    column: Column,
}

async fn half_seen() -> HalfSeen {
    let fixture = Fixture::in_memory().await;
    let stalled = Gated::after(2, &with_labels(&fixture, ["secret", "shown"]).await);
    let writer = fixture.client_on(stalled.clone()).await;
    let column = plain().with_visibility("shown");
    let tx = writer.begin().await.unwrap();
    tx.set("a", &secret(), "1").unwrap();
    tx.set("b", &column, "1").unwrap();
    let commit = tokio::spawn(tx.commit());
    stalled.hooks().latch.holds_a_task().await;
    let reader = fixture.client_on(with_labels(&fixture, ["shown"]).await).await;
    HalfSeen { fixture, stalled, writer, commit, reader, column }
}

/// Reproduces a bug: all cells of a transaction had labels, and a client held one of the two. It
/// could not see the primary, and reported a healthy transaction as `Corrupt`: a reader within 15
/// milliseconds, a writer with an error that runners do not retry. A later version of the reader
/// waited, but only for `rollback_after`.
#[tokio::test(start_paused = true)]
async fn waits_for_a_live_transaction_whose_primary_it_cannot_see() {
    let HalfSeen { stalled, commit, reader, column, .. } = half_seen().await;
    let blind = reader.begin().await.unwrap();
    blind.set("b", &column, "2").unwrap();
    assert!(matches!(blind.commit().await, Err(CommitError::Conflict(_))));
    // The reader has the default options: it rolls back locks that are older than 5 minutes.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(450) {
        let snapshot = reader.snapshot().await.unwrap();
        let error = snapshot.get("b", &column).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    }
    stalled.hooks().latch.open();
    commit.await.unwrap().unwrap();
    let snapshot = reader.snapshot().await.unwrap();
    let value = snapshot.get("b", &column).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"1"[..]));
}

/// Checks that a client that cannot see the primary of a crashed owner reports the cause and the
/// remedy.
#[tokio::test(start_paused = true)]
async fn names_the_remedy_for_a_dead_transaction_whose_primary_it_cannot_see() {
    let HalfSeen { fixture, writer, commit, reader, column, .. } = half_seen().await;
    commit.abort();
    fixture.end_session(&writer).await;

    let begun = Instant::now();
    let snapshot = reader.snapshot().await.unwrap();
    let error = snapshot.get("b", &column).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(
        error.to_string(),
        "`b f:q [shown]` is locked by transaction 3, whose primary `a f:q [secret]` is not visible; open the client with \
         all labels"
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
}
