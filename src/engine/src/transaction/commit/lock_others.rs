//! The second step: locking the rows that were not locked with the primary. Each row is locked
//! whole or not at all.

use std::future::ready;

use fluo_table::{Bytes, Cell, Error, Outcome, Result, RowColumn, Scan, Span};

use crate::transaction::CommitError;
use crate::transaction::commit::Commit;
use crate::transaction::commit::plan::PlannedCell;
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
        let found = self.look_at(rows.iter().zip(&answers)).await;
        let (mut rejected, mut failed, mut last) = (Vec::new(), None, None);
        // An error does not end the loop: rows whose locks were accepted must be rolled back.
        for (row, answer) in rows.into_iter().zip(answers) {
            match self.settle_lock(&row, answer, &found).await {
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

    async fn settle_lock(
        &mut self,
        row: &Bytes,
        answer: Outcome,
        found: &Result<Vec<Cell>>,
    ) -> Fate {
        // A repetition that is refused for good ends the commit. The row stays in doubt.
        if let Outcome::ConstraintViolation(error) = &answer
            && !error.kind().is_passing()
        {
            return Fate::Failed(error.clone().into());
        }
        let mut is_in_doubt = self.doubtful.contains(row);
        let state = found.as_ref().map(|found| self.state_of(row, found));
        let look = ready(state.map_err(Error::clone));
        let decide = |found, refusal| self.decide_lock(found, refusal);
        let fate = settle(answer, &mut is_in_doubt, look, decide).await;
        if is_in_doubt {
            self.doubtful.insert(row.clone());
        }
        fate
    }

    /// Reads one cell of each row whose answer leaves it in doubt, in one call. All cells of a row
    /// have the same state, because a row is atomic.
    async fn look_at(
        &self,
        answers: impl Iterator<Item = (&Bytes, &Outcome)>,
    ) -> Result<Vec<Cell>> {
        let is_in_doubt = |row: &Bytes, answer: &Outcome| match answer {
            Outcome::Accepted => false,
            Outcome::Unknown(_) => true,
            Outcome::Rejected | Outcome::ConstraintViolation(_) => self.doubtful.contains(row),
        };
        let rows = answers.filter(|(row, answer)| is_in_doubt(row, answer)).map(|(row, _)| row);
        let spans: Vec<Span> = rows.flat_map(|row| self.lock_and_end(row)).collect();
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        self.state.client.table.read(Scan::over_all(spans)).await
    }

    /// Returns the spans of the lock of a row and of its end.
    fn lock_and_end(&self, row: &Bytes) -> [Span; 2] {
        let (cell, start) = (self.first_cell(row), self.plan.start);
        let column = RowColumn::new(row.clone(), cell.column.clone());
        [cell.kind.entry(), cell.kind.end()].map(|kind| entries(&column, kind, start, start))
    }

    /// Returns the state of a row. The cells that were found are in key order.
    fn state_of(&self, row: &Bytes, found: &[Cell]) -> TransactionStatus {
        let end = stamp(self.first_cell(row).kind.end(), self.plan.start);
        let first = found.partition_point(|cell| cell.key.row < *row);
        let found = found.get(first..).unwrap_or_default().iter();
        let mut found = found.take_while(|cell| cell.key.row == *row).peekable();
        match found.peek().copied() {
            None => TransactionStatus::Unknown,
            Some(_) if found.any(|cell| cell.key.timestamp == end) => TransactionStatus::RolledBack,
            Some(lock) => TransactionStatus::Locked(lock.value.clone()),
        }
    }

    fn first_cell(&self, row: &Bytes) -> &PlannedCell {
        let cells = self.plan.rows.get(row);
        cells.and_then(|cells| cells.first()).expect("a row of the plan has a cell")
    }
}
