//! The first step: locking the primary and the other cells of its row.

use fluo_table::{Bytes, Error, ErrorKind, Result, Timestamp};

use crate::transaction::commit::Commit;
use crate::transaction::commit::settle::Fate;
use crate::transaction::status::{TransactionStatus, has_acknowledgement};
use crate::transaction::{CommitError, Trigger, encode_entries};

impl Commit {
    /// Locks the primary's row. After an error it is not locked.
    pub(super) async fn lock_primary(&mut self) -> Result<(), CommitError> {
        let row = self.plan.primary.row.clone();
        let locking = self.plan.lock_row(&row);
        let decide = |found, refusal| self.decide_lock(found, refusal);
        let (fate, is_in_doubt) = self.settle(&locking, decide).await;
        if is_in_doubt && !matches!(fate, Fate::Applied) {
            self.fence_primary().await;
        }
        match fate {
            Fate::Applied => {
                self.locked.insert(row);
                Ok(())
            }
            Fate::Rejected => Err(self.primary_rejected(&[row]).await),
            Fate::Open(error) => Err(CommitError::nothing_committed(error)),
            Fate::Failed(error) => Err(error),
        }
    }

    /// Decides the fate of the lock of a row that was in doubt, after a look at the row.
    pub(super) fn decide_lock(
        &self,
        found: Result<TransactionStatus>,
        refusal: Option<Error>,
    ) -> Fate {
        match (found, refusal) {
            (Ok(TransactionStatus::Locked(_)), _) => Fate::Applied,
            // Without a lock of its own, the rejection was caused by another transaction.
            (Ok(TransactionStatus::RolledBack), _) | (Ok(TransactionStatus::Unknown), None) => {
                Fate::Rejected
            }
            (Ok(TransactionStatus::Unknown), Some(error)) => Fate::Open(error),
            (Ok(TransactionStatus::Committed(_)), _) => {
                let message = format!(
                    "the primary `{}` says that transaction {} has committed, but it has not; its timestamp may have been \
                     assigned twice",
                    self.plan.primary, self.plan.start
                );
                Fate::Failed(Error::new(ErrorKind::Corrupt, message).into())
            }
            (Err(error), _) => Fate::Failed(error.into()),
        }
    }

    /// Writes the fence: an entry on the primary which says that the transaction was rolled back,
    /// so that a lock that is still on its way never counts. It is not written if another
    /// transaction has locked the cell, because it would hide that lock.
    async fn fence_primary(&mut self) {
        let (primary, start) = (&self.plan.primary, self.plan.start);
        let fence = encode_entries::roll_back_primary(primary, start, Timestamp::ZERO)
            .when(self.plan.is_free(&primary.row, &primary.column, self.plan.primary_kind()));
        if self.state.client.write_one(fence).await.is_accepted() {
            return;
        }
        // The fence was rejected. If the primary is locked by this transaction, roll it back.
        if let Ok(TransactionStatus::Locked(_)) = self.status().await {
            self.locked.insert(self.plan.primary.row.clone());
            self.roll_back().await;
        }
    }

    /// Returns the error of a rejected write of some rows, of which one is the primary's.
    pub(super) async fn primary_rejected(&self, rows: &[Bytes]) -> CommitError {
        let trigger = self.plan.trigger.as_ref();
        if let Some(trigger) = trigger.filter(|trigger| trigger.is_strong()) {
            match self.was_acknowledged(trigger).await {
                Ok(true) => {
                    let cell = &trigger.cell;
                    let delete = encode_entries::delete_notifications(cell, trigger.notified_at);
                    // If this fails, a worker finds the notification again and deletes it then.
                    drop(self.state.client.write_until_done(vec![delete], self.plan.start).await);
                    return CommitError::Acknowledged;
                }
                Ok(false) => {}
                Err(error) => return CommitError::from(error).before_the_commit_point(),
            }
        }
        self.conflict(rows).await
    }

    async fn was_acknowledged(&self, trigger: &Trigger) -> Result<bool> {
        let since = trigger.notified_at.next()?;
        has_acknowledgement(&*self.state.client.table, &trigger.cell, since).await
    }
}
