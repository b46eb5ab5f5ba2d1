//! Transactions that are being committed, or whose other rows are rolled forward in the background.
//!
//! A commit returns at its commit point. Its locks on other rows are replaced afterwards, in a task
//! of this client. While that task runs, a reader of this client that meets such a lock gets the
//! commit timestamp here and needs no look at the primary. If the process ends first, the next
//! transaction that meets a lock finds the commit at the primary (R2).
//!
//! A reader of this client that meets a lock of a commit in progress waits here for its decision.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fluo_table::Timestamp;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::mutex::Mutex;

/// Maximum number of transactions in the background. A commit waits for a place before it returns.
const PLACES: usize = 1_024;

#[derive(Clone, Debug)]
pub(crate) struct Background {
    places: Arc<Semaphore>,
    /// The transactions by start.
    commits: Arc<Mutex<BTreeMap<Timestamp, Progress>>>,
    removed: Arc<Notify>,
}

#[derive(Debug)]
enum Progress {
    /// It has not passed its commit point. Readers wait until the sender is dropped.
    Undecided(watch::Sender<()>),
    /// It is rolled forward in the background.
    Committed(Timestamp),
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
        self.commits.lock().insert(start, Progress::Undecided(watch::Sender::default()));
        BackgroundCommit { background: self.clone(), start, _permit: None }
    }

    pub(crate) fn commit_of(&self, start: Timestamp) -> Option<Timestamp> {
        match self.commits.lock().get(&start) {
            Some(Progress::Committed(commit)) => Some(*commit),
            Some(Progress::Undecided(_)) | None => None,
        }
    }

    /// Checks whether a transaction is being committed and has not passed its commit point. One
    /// that was rolled back counts until its commit returns: readers that were woken at the
    /// rollback conflicted with it more often.
    pub(crate) fn is_undecided(&self, start: Timestamp) -> bool {
        matches!(self.commits.lock().get(&start), Some(Progress::Undecided(_)))
    }

    /// Waits until a transaction is not [undecided](Self::is_undecided).
    pub(crate) async fn wait_for_decision(&self, start: Timestamp) {
        let mut undecided = match self.commits.lock().get(&start) {
            Some(Progress::Undecided(undecided)) => undecided.subscribe(),
            _ => return,
        };
        // No value is sent, so this ends when the sender is dropped.
        let _ = undecided.changed().await;
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
        self.background.commits.lock().insert(self.start, Progress::Committed(commit));
        // The semaphore is never closed.
        self._permit = self.background.places.clone().acquire_owned().await.ok();
    }
}

impl Drop for BackgroundCommit {
    fn drop(&mut self) {
        self.background.commits.lock().remove(&self.start);
        self.background.removed.notify_waiters();
    }
}
