//! Commits in the background.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use fluo_table::{Error, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use crate::context::Shared;
use crate::transaction::{CommitError, CommitInfo, OwnedTransaction};

/// A commit in progress. Awaiting it returns its outcome.
#[derive(Debug)]
#[must_use = "await the commit to get its outcome"]
pub struct PendingCommit {
    outcome: JoinHandle<Result<CommitInfo, CommitError>>,
}

impl PendingCommit {
    /// Waits for room, and begins the commit.
    pub(crate) async fn begin(client: &Arc<Shared>, transaction: OwnedTransaction) -> Self {
        let bytes = transaction.size_bytes();
        let most = client.options.max_commit_bytes_in_flight;
        // A transaction that is larger than all room waits until it is alone.
        let bytes = u32::try_from(bytes.clamp(1, most)).unwrap_or(u32::MAX);
        let one = room(&client.commits, 1).await;
        let room_in_bytes = room(&client.commit_bytes, bytes).await;
        let outcome = tokio::spawn(async move {
            let outcome = transaction.commit().await;
            drop((one, room_in_bytes));
            outcome
        });
        Self { outcome }
    }
}

/// Takes permits. The semaphores are never closed, so this waits until there is room.
async fn room(semaphore: &Arc<Semaphore>, permits: u32) -> Option<OwnedSemaphorePermit> {
    semaphore.clone().acquire_many_owned(permits).await.ok()
}

impl Future for PendingCommit {
    type Output = Result<CommitInfo, CommitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.outcome).poll(context).map(|outcome| {
            outcome.unwrap_or_else(|error| {
                Err(CommitError::Failed(Error::with_source(
                    ErrorKind::Uncertain,
                    "the runtime ended during the commit, so its outcome is unknown; check its writes before you \
                     repeat them",
                    error,
                )))
            })
        })
    }
}
