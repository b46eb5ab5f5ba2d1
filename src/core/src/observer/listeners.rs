//! Workers that are told of what their own client commits.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use crate::data::{Bytes, Column, RowColumn, Timestamp};
use crate::observer::queue::Queue;

/// The queues of the workers of one client.
///
/// What is said here saves a look at the table, and nothing depends on it: a notification that nobody hears of, or that a
/// worker has no room for, is found in the table.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    queues: Mutex<Vec<Weak<Queue>>>,
}

impl Listeners {
    /// From now on a queue is told.
    pub(super) fn add(&self, queue: Weak<Queue>) {
        let mut queues = self.locked();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    /// Tells of notifications that are in the table by now.
    pub(crate) fn tell(&self, notified: &BTreeMap<Bytes, Vec<Column>>, at: Timestamp) {
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
