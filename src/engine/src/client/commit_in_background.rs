//! Commits in the background.

use std::sync::Arc;

use fluo_table::{Error, ErrorKind};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client::Client;
use crate::transaction::{CommitError, CommitInfo, OwnedTransaction};

impl Client {
    /// Commits a transaction in the background, so that one task can run thousands of commits at
    /// once. Waits until there is room for it: the bounds are
    /// [`max_commits_in_flight`](crate::ClientOptions::max_commits_in_flight) and
    /// [`max_commit_bytes_in_flight`](crate::ClientOptions::max_commit_bytes_in_flight).
    ///
    /// Awaiting the returned future returns the outcome. Dropping it does not stop the commit, but
    /// loses its outcome.
    pub async fn commit_in_background(
        &self,
        transaction: OwnedTransaction,
    ) -> BoxFuture<'static, Result<CommitInfo, CommitError>> {
        let shared = &self.shared;
        let most = shared.options.max_commit_bytes_in_flight;
        // A transaction that is larger than all room waits until it is alone.
        let bytes = transaction.state.size_bytes().clamp(1, most);
        let bytes = u32::try_from(bytes).expect("the option is at most 2^31");
        let one = wait_for_room(&shared.commits, 1).await;
        let room_in_bytes = wait_for_room(&shared.commit_bytes, bytes).await;
        let outcome = tokio::spawn(async move {
            let outcome = transaction.commit().await;
            drop((one, room_in_bytes));
            outcome
        });
        let ended = |error| {
            let message = "the runtime ended during the commit, so its outcome is unknown; check its writes before \
                           you repeat them";
            Err(CommitError::Failed(Error::with_source(ErrorKind::Uncertain, message, error)))
        };
        outcome.map(move |outcome| outcome.unwrap_or_else(ended)).boxed()
    }
}

pub(super) async fn wait_for_room(
    semaphore: &Arc<Semaphore>,
    permits: u32,
) -> OwnedSemaphorePermit {
    let room = semaphore.clone().acquire_many_owned(permits).await;
    room.expect("the semaphore is never closed")
}
