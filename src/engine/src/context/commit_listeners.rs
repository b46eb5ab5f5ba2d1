//! The workers that a client notifies of its own commits.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Weak;

use fluo_table::{Bytes, Column, RowColumn, Timestamp};

use crate::mutex::Mutex;

/// A receiver of the notifications of commits: the queue of a worker. With this trait, the
/// modules of transactions do not use that of the workers.
pub(crate) trait CommitListener: Debug + Send + Sync {
    /// Offers a notification that is already in the table. The receiver may ignore it.
    fn offer(&self, cell: &RowColumn, at: Timestamp);
}

/// The receivers of the notifications of one client's commits.
///
/// They only save a scan of the table, and nothing depends on them. A worker finds a notification
/// in the table if it missed it here, or had no room for it.
#[derive(Debug, Default)]
pub(crate) struct CommitListeners {
    listeners: Mutex<Vec<Weak<dyn CommitListener>>>,
}

impl CommitListeners {
    pub(crate) fn add(&self, listener: Weak<dyn CommitListener>) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(listener);
    }

    pub(crate) fn offer(&self, notified: &BTreeMap<Bytes, Vec<Column>>, at: Timestamp) {
        for listener in self.listeners.lock().iter().filter_map(Weak::upgrade) {
            for (row, columns) in notified {
                for column in columns {
                    listener.offer(&RowColumn::new(row.clone(), column.clone()), at);
                }
            }
        }
    }
}
