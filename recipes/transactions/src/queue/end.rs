//! The end of a pass over a bucket.

use fluo_engine::{Bytes, Result, Transaction};

use super::StoredQueue;

/// The changes of a bucket at the end of a pass.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// The position at which the next pass begins.
    pub(crate) next: Option<Bytes>,
    /// `true` if the position of the last pass is deleted.
    pub(crate) deletes_next: bool,
    /// `true` if the bucket is notified again.
    pub(crate) continues: bool,
}

impl End {
    /// Creates the end of a pass that began at a position if `had_next`. `is_any_left` says that it
    /// has left entries without a position.
    pub(crate) fn new(had_next: bool, next: Option<Bytes>, is_any_left: bool) -> Self {
        // After a position, a last pass from the start of the bucket finds entries before it.
        let continues = next.is_some() || is_any_left || had_next;
        Self { deletes_next: had_next && next.is_none(), next, continues }
    }

    pub(crate) fn write(self, tx: &Transaction, queue: &StoredQueue, row: Bytes) -> Result<()> {
        let column = queue.next_column();
        if let Some(next) = self.next {
            tx.set(row.clone(), column, next)?;
        } else if self.deletes_next {
            tx.delete(row.clone(), column)?;
        }
        if self.continues {
            tx.notify(row, &queue.notification())?;
        }
        Ok(())
    }
}
