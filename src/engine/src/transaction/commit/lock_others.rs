//! The second step: locking the rows that were not locked with the primary. Each row is locked
//! whole or not at all.

use fluo_table::layout::EntryTimestamp;
use fluo_table::planted::{self, PlantedBug};
use fluo_table::{Bytes, Error, Outcome, Result, RowColumn};

use crate::client::is_passing;
use crate::transaction::commit::Commit;
use crate::transaction::commit::lock_primary::{no_answer, nothing_committed};
use crate::transaction::{CommitError, raw_read};

/// The stored state of a row after a write whose answer was lost.
enum Found {
    Locked,
    RolledBack,
    Nothing,
}

impl Commit {
    /// Locks the rows that are not locked yet. After an error, `locked` and `doubtful` name the
    /// rows to roll back.
    pub(crate) async fn lock_others(&mut self) -> Result<(), CommitError> {
        debug_assert!(
            self.locked.contains(&self.plan.primary.row),
            "P3: other rows of transaction {} are locked before its primary `{}`",
            self.plan.start,
            self.plan.primary
        );
        let mut backoff = self.reading.client.call_backoff(self.plan.start);
        let is_waiting = |row: &&Bytes| !self.locked.contains(*row);
        let mut waiting: Vec<Bytes> = self.plan.other_rows().filter(is_waiting).cloned().collect();
        let mut rejected = Vec::new();
        if waiting.is_empty() {
            return Ok(());
        }
        loop {
            let error = self.try_to_lock(&mut waiting, &mut rejected).await?;
            if !rejected.is_empty() {
                // Rows in doubt stay in doubt, and need no further attempt.
                return Err(self.conflict(&rejected).await);
            }
            let Some(error) = error else {
                return Ok(());
            };
            if !backoff.wait().await {
                return Err(nothing_committed(error));
            }
        }
    }

    /// Tries to lock the waiting rows. Keeps those that are neither locked nor rejected afterwards.
    async fn try_to_lock(
        &mut self,
        waiting: &mut Vec<Bytes>,
        rejected: &mut Vec<Bytes>,
    ) -> Result<Option<Error>, CommitError> {
        let rows = std::mem::take(waiting);
        let locking = rows.iter().map(|row| self.plan.lock_row(row)).collect();
        let outcomes = self.try_to_write(locking).await;
        let mut failed = None;
        let mut refused = None;
        let mut outcomes = outcomes.into_iter();
        for row in rows {
            let was_doubtful = self.doubtful.contains(&row);
            match outcomes
                .next()
                .unwrap_or_else(|| Outcome::Unknown(no_answer()))
            {
                Outcome::Accepted => self.note_locked(row),
                Outcome::Rejected if !was_doubtful => rejected.push(row),
                Outcome::ConstraintViolation(error) if !is_passing(error.kind()) => {
                    refused = Some(error);
                }
                Outcome::ConstraintViolation(error) if !was_doubtful => {
                    failed = Some(error);
                    waiting.push(row);
                }
                outcome => {
                    if !was_doubtful {
                        self.doubtful.insert(row.clone());
                    }
                    let was_rejected = matches!(outcome, Outcome::Rejected);
                    match self.look_at(&row).await {
                        _ if planted::is(PlantedBug::UnknownLockIsLocked) => self.note_locked(row),
                        Ok(Found::Locked) => self.note_locked(row),
                        Ok(Found::RolledBack) => rejected.push(row),
                        // The condition did not hold, and this transaction does not hold the row.
                        // An earlier write of it may still arrive.
                        Ok(Found::Nothing) if was_rejected => rejected.push(row),
                        Ok(Found::Nothing) => {
                            failed = Some(why(outcome));
                            waiting.push(row);
                        }
                        Err(error) if is_passing(error.kind()) => {
                            failed = Some(error);
                            waiting.push(row);
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
        match refused {
            Some(error) => Err(error.into()),
            None => Ok(failed),
        }
    }

    fn note_locked(&mut self, row: Bytes) {
        self.locked.insert(row);
    }

    /// Reads one cell of a row. All cells of the row have the same state, because a row is atomic.
    async fn look_at(&self, row: &Bytes) -> Result<Found> {
        let cells = self.plan.rows.get(row);
        let Some(cell) = cells.and_then(|cells| cells.first()) else {
            return Ok(Found::Nothing);
        };
        let (locked, unlocked) = (cell.kind.entry(), cell.kind.end());
        let start = self.plan.start;
        let place = RowColumn::new(row.clone(), cell.column.clone());
        let found = raw_read::entries(
            &*self.reading.client.table,
            &place,
            &[(locked, start), (unlocked, start)],
        )
        .await?;
        let has = |kind| {
            let stamps = found
                .iter()
                .map(|cell| EntryTimestamp::decode(cell.key.timestamp));
            stamps.flatten().any(|stamp| stamp.kind == kind)
        };
        Ok(if has(unlocked) {
            Found::RolledBack
        } else if has(locked) {
            Found::Locked
        } else {
            Found::Nothing
        })
    }
}

fn why(outcome: Outcome) -> Error {
    match outcome {
        Outcome::Unknown(error) | Outcome::ConstraintViolation(error) => error,
        Outcome::Accepted | Outcome::Rejected => no_answer(),
    }
}
