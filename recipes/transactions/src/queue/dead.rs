//! The dead letters of a queue: entries that could not be processed.

use fluo_engine::{Column, ObserverError, Result, Transaction};
use fluo_table::coordination::FailedNotification;

use super::{Entry, StoredQueue};
use crate::telemetry::{self, DEAD_LETTERS};

pub(crate) const ERROR: Column = Column::from_static("dead", "error");

/// Moves an entry to the dead letters, with the error. Its caller deletes the entry.
pub(crate) fn bury(
    tx: &Transaction,
    queue: &StoredQueue,
    entry: &Entry,
    error: &ObserverError,
) -> Result<()> {
    let dead = queue.dead_row(&entry.row);
    tx.set(dead.clone(), queue.entry_column(), entry.value.clone())?;
    let mut error = FailedNotification::describe(&**error);
    FailedNotification::cut(&mut error);
    tx.set(dead, &ERROR, error)?;
    telemetry::count(DEAD_LETTERS, &queue.id, 1);
    Ok(())
}
