//! Transactions that are being committed, or whose other rows are rolled forward in the background.
//!
//! A commit returns at its commit point. Its locks on other rows are replaced afterwards, in a task
//! of this client. While that task runs, a reader of this client that meets such a lock gets the
//! commit timestamp here and needs no look at the primary. If the process ends first, the next
//! transaction that meets a lock finds the commit at the primary (R2).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fluo_table::Timestamp;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::mutex::Mutex;

/// Maximum number of transactions in the background. A commit waits for a place before it returns.
const PLACES: usize = 1_024;

#[derive(Clone, Debug)]
pub(crate) struct Background {
    places: Arc<Semaphore>,
    /// The commit timestamps of the transactions in the background, by start; `None` for a
    /// transaction that has not passed its commit point.
    commits: Arc<Mutex<BTreeMap<Timestamp, Option<Timestamp>>>>,
    removed: Arc<Notify>,
}

/// A transaction that is being committed or rolled forward, until this is dropped.
#[derive(Debug)]
pub(crate) struct BackgroundCommit {
    background: Background,
    start: Timestamp,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(PLACES)),
            commits: Arc::default(),
            removed: Arc::default(),
        }
    }
}

impl Background {
    pub(crate) fn add(&self, start: Timestamp) -> BackgroundCommit {
        self.commits.lock().insert(start, None);
        BackgroundCommit { background: self.clone(), start, _permit: None }
    }

    pub(crate) fn commit_of(&self, start: Timestamp) -> Option<Timestamp> {
        self.commits.lock().get(&start).copied().flatten()
    }

    /// Waits until the transactions that are here now have left.
    pub(crate) async fn drain(&self) {
        let begun: BTreeSet<Timestamp> = self.commits.lock().keys().copied().collect();
        loop {
            // It is notified of each removal after this line.
            let removed = self.removed.notified();
            if !self.commits.lock().keys().any(|start| begun.contains(start)) {
                return;
            }
            removed.await;
        }
    }
}

impl BackgroundCommit {
    /// Waits for a place in the background, after the commit point.
    pub(crate) async fn move_to_background(&mut self, commit: Timestamp) {
        // The semaphore is never closed.
        self._permit = self.background.places.clone().acquire_owned().await.ok();
        self.background.commits.lock().insert(self.start, Some(commit));
    }
}

impl Drop for BackgroundCommit {
    fn drop(&mut self) {
        self.background.commits.lock().remove(&self.start);
        self.background.removed.notify_waiters();
    }
}
