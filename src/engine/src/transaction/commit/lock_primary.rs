//! The first step: locking the primary and the other cells of its row. It includes the other rows
//! if the table writes rows together.

use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{Error, ErrorKind, Key, Outcome, Result, Scan, Span, TableExt, Timestamp};

use crate::client::is_passing;
use crate::transaction::CommitError;
use crate::transaction::commit::Commit;
use crate::transaction::encode_entries::{self, stamp};
use crate::transaction::resolve::RowMutations;
use crate::transaction::status::{TransactionStatus, status};

/// The state of the primary's row after a write.
enum Tried {
    Locked,
    Rejected,
    /// Not locked now. A write whose answer was lost may still arrive.
    Again(Error),
}

impl Commit {
    /// Locks the primary's row, or all rows if they are written together. After an error none of
    /// them is locked.
    pub(crate) async fn lock_primary(&mut self) -> Result<(), CommitError> {
        let mut backoff = self.reading.client.call_backoff(self.plan.start);
        let mut is_doubtful = false;
        loop {
            let tried = match self.try_to_lock_primary(&mut is_doubtful).await {
                Ok(tried) => tried,
                Err(error) => {
                    if is_doubtful {
                        self.fence_primary().await;
                    }
                    return Err(error);
                }
            };
            match tried {
                Tried::Locked => {
                    self.note_first_step(is_doubtful);
                    return Ok(());
                }
                Tried::Rejected => {
                    if is_doubtful {
                        self.fence_primary().await;
                    }
                    return Err(self.primary_rejected().await);
                }
                Tried::Again(error) => {
                    if !backoff.wait().await {
                        if is_doubtful {
                            self.fence_primary().await;
                        }
                        return Err(nothing_committed(error));
                    }
                }
            }
        }
    }

    async fn try_to_lock_primary(&self, is_doubtful: &mut bool) -> Result<Tried, CommitError> {
        let rows = self.rows_of_the_first_step();
        let locking = rows.iter().map(|row| self.plan.lock_row(row)).collect();
        let error = match self.try_as_one(locking).await {
            Outcome::Accepted => return Ok(Tried::Locked),
            Outcome::Rejected if !*is_doubtful => return Ok(Tried::Rejected),
            Outcome::Rejected => None,
            Outcome::ConstraintViolation(error) if !is_passing(error.kind()) && !*is_doubtful => {
                return Err(error.into());
            }
            Outcome::ConstraintViolation(error) => Some(error),
            Outcome::Unknown(error) => {
                *is_doubtful = true;
                Some(error)
            }
        };
        if !*is_doubtful {
            return Ok(Tried::Again(error.unwrap_or_else(no_answer)));
        }
        // One of the writes may have been applied: the transaction's own lock may cause a
        // rejection.
        let found = status(
            &*self.reading.client.table,
            &self.plan.primary,
            self.plan.start,
        )
        .await;
        match (found, error) {
            (Ok(TransactionStatus::Locked(_)), _) => Ok(Tried::Locked),
            (Ok(TransactionStatus::RolledBack), _) | (Ok(TransactionStatus::Unknown), None) => {
                Ok(Tried::Rejected)
            }
            (Ok(TransactionStatus::Committed(_)), _) => Err(self.committed_too_early().into()),
            (Ok(TransactionStatus::Unknown), Some(error)) => Ok(Tried::Again(error)),
            (Err(error), _) if is_passing(error.kind()) => Ok(Tried::Again(error)),
            (Err(error), _) => Err(error.into()),
        }
    }

    /// Writes the fence: an entry on the primary which says that the transaction was rolled back,
    /// so that a lock that is still on its way never counts. It is not written if another
    /// transaction has locked the cell, because it would hide that lock.
    async fn fence_primary(&mut self) {
        let (primary, start) = (&self.plan.primary, self.plan.start);
        let mut fence = self.plan.lock_row(&primary.row);
        let by = encode_entries::RolledBackBy::AnotherOne;
        fence.mutation.updates.clear();
        fence.mutation =
            encode_entries::roll_back_primary(fence.mutation, &primary.column, start, by);
        fence
            .conditions
            .retain(|condition| condition.column == primary.column);
        let outcomes = self.try_to_write(vec![fence]).await;
        if outcomes.iter().any(Outcome::is_accepted) {
            return;
        }
        // The fence was rejected. If the primary is locked by this transaction, roll it back.
        match status(&*self.reading.client.table, primary, start).await {
            Ok(TransactionStatus::Locked(_)) => {
                self.note_first_step(true);
                self.roll_back().await;
            }
            // Another transaction rolled it back, after all rows may have been locked.
            Ok(TransactionStatus::RolledBack) if self.is_together => self.roll_back_others().await,
            _ => {}
        }
    }

    async fn primary_rejected(&self) -> CommitError {
        match self.was_acknowledged().await {
            Ok(true) => {
                self.delete_trigger().await;
                return CommitError::Acknowledged;
            }
            Ok(false) => {}
            Err(error) => return error.into(),
        }
        match self.rejected_rows().await {
            Ok(rejected) => self.conflict(&rejected).await,
            // The rejected rows cannot be determined at present.
            Err(error) if is_passing(error.kind()) => {
                let primary = std::slice::from_ref(&self.plan.primary.row);
                self.conflict(primary).await
            }
            Err(error) => error.into(),
        }
    }

    /// Checks whether another transaction has acknowledged the notification that started this one.
    async fn was_acknowledged(&self) -> Result<bool> {
        let Some(trigger) = self.strong_trigger() else {
            return Ok(false);
        };
        let key = |kind, timestamp: Timestamp| {
            let (row, column) = (trigger.cell.row.clone(), trigger.cell.column.clone());
            Key::new(row, column, stamp(kind, timestamp))
        };
        let newest = key(EntryKind::Ack, Timestamp::MAX);
        let oldest = key(EntryKind::Ack, trigger.notified_at);
        let scan = Scan::over(Span::between(newest, Some(oldest)));
        let found = self.reading.client.table.read(scan).await?;
        let is_ack = |timestamp| {
            EntryTimestamp::decode(timestamp).is_some_and(|stamp| stamp.kind == EntryKind::Ack)
        };
        Ok(found.iter().any(|cell| is_ack(cell.key.timestamp)))
    }

    async fn delete_trigger(&self) {
        let Some(trigger) = self.strong_trigger() else {
            return;
        };
        let mut writes = RowMutations::default();
        writes.delete_notifications(&trigger.cell, trigger.notified_at);
        // If this fails, a worker finds the notification again and deletes it then.
        let deleted = self
            .reading
            .client
            .write_until_done(writes.into_mutations(), self.plan.start);
        drop(deleted.await);
    }

    fn committed_too_early(&self) -> Error {
        Error::new(
            ErrorKind::Corrupt,
            format!(
                "the primary `{}` says that transaction {} has committed, but it has not; its timestamp may have been \
                 assigned twice",
                self.plan.primary, self.plan.start
            ),
        )
    }
}

/// Replaces `Uncertain` in an error from before the commit point: the transaction has certainly not
/// committed.
pub(crate) fn before_the_commit_point(error: CommitError) -> CommitError {
    match error {
        CommitError::Failed(error) if error.kind() == ErrorKind::Uncertain => {
            nothing_committed(error)
        }
        other => other,
    }
}

/// Returns the error for a commit that was cancelled before its commit point.
pub(crate) fn nothing_committed(error: Error) -> CommitError {
    let message =
        format!("the transaction was cancelled, and none of its writes is committed: {error}");
    CommitError::Failed(Error::with_source(ErrorKind::Unavailable, message, error))
}

pub(crate) fn no_answer() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the table returned no outcome for a mutation",
    )
}
