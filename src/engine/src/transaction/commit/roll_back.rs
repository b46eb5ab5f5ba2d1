//! The rollback of a transaction by its owner (R5, R6).

use fluo_table::{Bytes, ConditionalMutation, Result, Timestamp};
use tracing::debug;

use crate::transaction::commit::Commit;
use crate::transaction::encode_entries;
use crate::transaction::roll_back::{WRITE, is_stored, roll_back_lock};

impl Commit {
    /// Rolls back the locks that are certainly there. Then marks on the primary that no lock is
    /// left, unless one may be (P7).
    pub(super) async fn roll_back(&self) {
        if let Err(error) = self.try_to_roll_back().await {
            debug!(%error, "the locks of a failed transaction are left to the transactions that meet them");
        }
    }

    async fn try_to_roll_back(&self) -> Result<()> {
        let (start, primary) = (self.plan.start, &self.plan.primary);
        let is_there = |row: &Bytes| *row == primary.row || self.locked.contains(row);
        let client = &self.state.client;
        let others = client.roll_back_locks_until_done(self.others(is_there), start).await;
        // The primary is rolled back in any case, so that no other transaction waits for this one.
        let is_last = self.is_certain() && others.is_ok();
        let done = if is_last { start } else { Timestamp::ZERO };
        let mut mutation = encode_entries::roll_back_primary(primary, start, done);
        if is_last {
            mutation = self.done(mutation, start);
        }
        let lock = self.plan.primary_lock();
        let decisive = mutation.when(is_stored(primary, start, WRITE, lock));
        client.roll_back_locks_until_done(vec![decisive], start).await?;
        others
    }

    /// Rolls back the locks in some rows, except that of a primary that was rolled back. The entry
    /// on the primary stays, because more locks may be left.
    pub(super) async fn roll_back_others(&self, is_there: impl Fn(&Bytes) -> bool) {
        let others = self.others(is_there);
        // If this fails, the transactions that meet the locks roll them back.
        let taken = self.state.client.roll_back_locks_until_done(others, self.plan.start);
        drop(taken.await);
    }

    fn others(&self, is_there: impl Fn(&Bytes) -> bool) -> Vec<ConditionalMutation> {
        let plan = &self.plan;
        let others = plan.cells().filter(|(cell, _)| *cell != plan.primary && is_there(&cell.row));
        let ends = others
            .map(|(cell, kind)| roll_back_lock(&cell, plan.start, kind, plan.lock_value(kind)));
        ends.collect()
    }
}
