//! Committed transactions whose other rows are rolled forward in the background.
//!
//! A commit returns at its commit point. Its locks on other rows are replaced afterwards, in a task
//! of this client. While that task runs, a reader of this client that meets such a lock gets the
//! commit timestamp here and needs no look at the primary. If the process ends first, the next
//! transaction that meets a lock finds the commit at the primary (R2).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use fluo_table::Timestamp;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::locked::locked;

/// Maximum number of transactions in the background. A commit waits for a place before it returns.
const PLACES: usize = 1_024;

/// The transactions of a client that are rolled forward in the background.
#[derive(Clone, Debug)]
pub(crate) struct Background {
    places: Arc<Semaphore>,
    /// The commit timestamps, by start.
    commits: Arc<Mutex<BTreeMap<Timestamp, Timestamp>>>,
    removed: Arc<Notify>,
}

/// A place in the background. Dropping it removes the transaction.
#[derive(Debug)]
pub(crate) struct BackgroundPlace {
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
    /// Waits for a place for a committed transaction.
    pub(crate) async fn place(&self, start: Timestamp, commit: Timestamp) -> BackgroundPlace {
        // The semaphore is never closed.
        let permit = self.places.clone().acquire_owned().await.ok();
        self.commits().insert(start, commit);
        BackgroundPlace {
            background: self.clone(),
            start,
            _permit: permit,
        }
    }

    /// Returns the commit timestamp of a transaction, or `None` if it is not in the background.
    pub(crate) fn commit_of(&self, start: Timestamp) -> Option<Timestamp> {
        self.commits().get(&start).copied()
    }

    /// Waits until the transactions that are in the background now have left it.
    pub(crate) async fn drain(&self) {
        let begun: BTreeSet<Timestamp> = self.commits().keys().copied().collect();
        loop {
            // It is notified of each removal after this line.
            let removed = self.removed.notified();
            if !self.commits().keys().any(|start| begun.contains(start)) {
                return;
            }
            removed.await;
        }
    }

    fn commits(&self) -> MutexGuard<'_, BTreeMap<Timestamp, Timestamp>> {
        locked(&self.commits)
    }
}

impl Drop for BackgroundPlace {
    fn drop(&mut self) {
        self.background.commits().remove(&self.start);
        self.background.removed.notify_waiters();
    }
}
