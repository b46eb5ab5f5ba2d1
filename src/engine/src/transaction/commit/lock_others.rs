//! The second step: locking the rows that were not locked with the primary. Each row is locked
//! whole or not at all.

use fluo_table::{Bytes, Cell, Error, Outcome, Result, RowColumn, Scan};

use crate::transaction::CommitError;
use crate::transaction::commit::Commit;
use crate::transaction::commit::settle::{Fate, settle};
use crate::transaction::encode_entries::stamp;
use crate::transaction::status::{TransactionStatus, entries};

impl Commit {
    /// Locks the rows other than the primary's. After an error, `locked` and `doubtful` name the
    /// rows to roll back.
    pub(super) async fn lock_others(&mut self) -> Result<(), CommitError> {
        debug_assert!(
            self.locked.contains(&self.plan.primary.row),
            "P3: other rows of transaction {} are locked before its primary `{}`",
            self.plan.start,
            self.plan.primary
        );
        let mut backoff = self.state.client.backoff(self.plan.start);
        let mut open: Vec<Bytes> = self.plan.other_rows().cloned().collect();
        while !open.is_empty() {
            if let Some(error) = self.try_to_lock(&mut open).await?
                && !backoff.wait().await
            {
                return Err(CommitError::nothing_committed(error));
            }
        }
        Ok(())
    }

    /// Tries once to lock the open rows. Keeps those whose fate is still open, and returns an error
    /// of one of them.
    async fn try_to_lock(&mut self, open: &mut Vec<Bytes>) -> Result<Option<Error>, CommitError> {
        let rows = std::mem::take(open);
        let locking = rows.iter().map(|row| self.plan.lock_row(row)).collect();
        let answers = self.state.client.write_each(locking).await;
        let (mut rejected, mut failed, mut last) = (Vec::new(), None, None);
        // An error does not end the loop: rows whose locks were accepted must be rolled back.
        for (row, answer) in rows.into_iter().zip(answers) {
            match self.settle_lock(&row, answer).await {
                Fate::Applied => {
                    self.locked.insert(row);
                }
                Fate::Rejected => rejected.push(row),
                Fate::Open(error) => {
                    last = Some(error);
                    open.push(row);
                }
                Fate::Failed(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if rejected.is_empty() {
            return Ok(last);
        }
        // Rows in doubt stay in doubt, and need no further attempt. The locks are released first,
        // because the diagnosis reads the table several times.
        self.roll_back().await;
        self.is_rolled_back = true;
        Err(self.conflict(&rejected).await)
    }

    async fn settle_lock(&mut self, row: &Bytes, answer: Outcome) -> Fate {
        // A repetition that is refused for good ends the commit. The row stays in doubt.
        if let Outcome::ConstraintViolation(error) = &answer
            && !error.kind().is_passing()
        {
            return Fate::Failed(error.clone().into());
        }
        let mut is_in_doubt = self.doubtful.contains(row);
        let look = self.look_at(row);
        let decide = |found, refusal| self.decide_lock(found, refusal);
        let fate = settle(answer, &mut is_in_doubt, look, decide).await;
        if is_in_doubt {
            self.doubtful.insert(row.clone());
        }
        fate
    }

    /// Reads one cell of a row. All cells of the row have the same state, because a row is atomic.
    async fn look_at(&self, row: &Bytes) -> Result<TransactionStatus> {
        let cells = self.plan.rows.get(row);
        let cell = cells.and_then(|cells| cells.first()).expect("a row of the plan has a cell");
        let (kind, start) = (cell.kind, self.plan.start);
        let cell = RowColumn::new(row.clone(), cell.column.clone());
        let entry = |entry_kind| entries(&cell, entry_kind, start, start);
        let wanted = Scan::over_all([kind.entry(), kind.end()].map(entry));
        let found = self.state.client.table.read(wanted).await?;
        let is_end = |entry: &Cell| entry.key.timestamp == stamp(kind.end(), start);
        Ok(match found.first() {
            None => TransactionStatus::Unknown,
            Some(_) if found.iter().any(is_end) => TransactionStatus::RolledBack,
            Some(lock) => TransactionStatus::Locked(lock.value.clone()),
        })
    }
}
