//! The first step: the primary and what stands in its row; the other rows as well, where they can be written together.

use crate::client::is_passing;
use crate::data::{Key, Span, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{EntryKind, EntryStamp};
use crate::table::{Outcome, Scan, TableExt};
use crate::transaction::CommitError;
use crate::transaction::commit::Commit;
use crate::transaction::entries::{self, stamp};
use crate::transaction::resolve::RowMutations;
use crate::transaction::status::{TransactionStatus, status};

/// What is known of the primary's row after a write.
enum Tried {
    Locked,
    Rejected,
    /// Not there now; a write whose answer was lost may still arrive.
    Again(Error),
}

impl Commit {
    /// Locks the primary's row, or all. An error means that none of it is locked.
    pub(crate) async fn lock_primary(&mut self) -> Result<(), CommitError> {
        let mut backoff = self.reading.client.backoff_of_calls(self.plan.start);
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
            Outcome::Refused(error) if !is_passing(error.kind()) && !*is_doubtful => {
                return Err(error.into());
            }
            Outcome::Refused(error) => Some(error),
            Outcome::Unknown(error) => {
                *is_doubtful = true;
                Some(error)
            }
        };
        if !*is_doubtful {
            return Ok(Tried::Again(error.unwrap_or_else(no_answer)));
        }
        // One of the writes may have been applied: a rejection may be by the transaction's own lock.
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

    /// Makes sure that a lock of the primary that is still on its way never holds: an entry that says that the
    /// transaction was rolled back, unless the cell is locked by another one, whose lock it would hide.
    async fn fence_primary(&mut self) {
        let (primary, start) = (&self.plan.primary, self.plan.start);
        let mut fence = self.plan.lock_row(&primary.row);
        let by = entries::RolledBackBy::AnotherOne;
        fence.mutation.updates.clear();
        fence.mutation = entries::roll_back_primary(fence.mutation, &primary.column, start, by);
        fence
            .conditions
            .retain(|condition| condition.column == primary.column);
        let outcomes = self.try_to_write(vec![fence]).await;
        if outcomes.iter().any(Outcome::is_accepted) {
            return;
        }
        // Not possible: it is ours after all, or somebody else's. If it is ours, it is taken back.
        match status(&*self.reading.client.table, primary, start).await {
            Ok(TransactionStatus::Locked(_)) => {
                self.note_first_step(true);
                self.roll_back().await;
            }
            // By another one, after all rows may have been locked.
            Ok(TransactionStatus::RolledBack) if self.is_together => self.take_back_others().await,
            _ => {}
        }
    }

    async fn primary_rejected(&self) -> CommitError {
        match self.was_acknowledged().await {
            Ok(true) => {
                self.take_back_trigger().await;
                return CommitError::Acknowledged;
            }
            Ok(false) => {}
            Err(error) => return error.into(),
        }
        match self.rejected_rows().await {
            Ok(rejected) => self.conflict(&rejected).await,
            // Which rows it was cannot be seen at present.
            Err(error) if is_passing(error.kind()) => {
                let primary = std::slice::from_ref(&self.plan.primary.row);
                self.conflict(primary).await
            }
            Err(error) => error.into(),
        }
    }

    /// Whether another transaction has acknowledged the notification that started this one.
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
            EntryStamp::decode(timestamp).is_some_and(|stamp| stamp.kind == EntryKind::Ack)
        };
        Ok(found.iter().any(|cell| is_ack(cell.key.timestamp)))
    }

    async fn take_back_trigger(&self) {
        let Some(trigger) = self.strong_trigger() else {
            return;
        };
        let mut writes = RowMutations::default();
        writes.take_back_notification(&trigger.cell, trigger.notified_at);
        // If it fails, the notification is found again, and taken back then.
        let taken_back = self
            .reading
            .client
            .write_surely(writes.into_mutations(), self.plan.start);
        drop(taken_back.await);
    }

    fn committed_too_early(&self) -> Error {
        Error::new(
            ErrorKind::Corrupt,
            format!(
                "`{}` says that the transaction that began at {} has committed, which it has not; was its timestamp \
                 handed out twice?",
                self.plan.primary, self.plan.start
            ),
        )
    }
}

/// The same error, of a commit that did not come to its commit point: whatever is uncertain, it has not committed.
pub(crate) fn before_the_commit_point(error: CommitError) -> CommitError {
    match error {
        CommitError::Failed(error) if error.kind() == ErrorKind::Uncertain => {
            nothing_committed(error)
        }
        other => other,
    }
}

/// The error for a commit that was given up before its commit point.
pub(crate) fn nothing_committed(error: Error) -> CommitError {
    let message = format!("the transaction was given up; nothing of it was committed: {error}");
    CommitError::Failed(Error::with_source(ErrorKind::Unavailable, message, error))
}

pub(crate) fn no_answer() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the table gave no outcome for a mutation",
    )
}
