//! The workers that a client notifies of its own commits.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use fluo_table::{Bytes, Column, RowColumn, Timestamp};

use crate::observer::queue::Queue;

/// The queues of the workers of one client.
///
/// They only save a scan of the table, and nothing depends on them. A worker finds a notification
/// in the table if it missed it here, or had no room for it.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    queues: Mutex<Vec<Weak<Queue>>>,
}

impl Listeners {
    /// Adds a queue.
    pub(super) fn add(&self, queue: Weak<Queue>) {
        let mut queues = self.locked();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    /// Offers notifications that are already in the table to the queues.
    pub(crate) fn offer(&self, notified: &BTreeMap<Bytes, Vec<Column>>, at: Timestamp) {
        let queues = self.locked();
        for queue in queues.iter().filter_map(Weak::upgrade) {
            for (row, columns) in notified {
                for column in columns {
                    queue.offer(&RowColumn::new(row.clone(), column.clone()), at);
                }
            }
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Weak<Queue>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
