//! The dead letters of a queue: entries that could not be processed.

use std::error::Error as StdError;

use fluo::{Bytes, Column, ObserverError, Result, Transaction};

use super::{Entry, QueueDefinition};

/// The column with the error of a dead letter.
pub(crate) const ERROR: Column = Column {
    family: Bytes::from_static(b"dead"),
    qualifier: Bytes::from_static(b"error"),
    visibility: Bytes::new(),
};

/// Moves an entry to the dead letters, with the error. Its caller deletes the entry.
pub(crate) fn bury(
    tx: &Transaction,
    queue: &QueueDefinition,
    entry: &Entry,
    error: &ObserverError,
) -> Result<()> {
    let dead = queue.dead_row(&entry.row);
    tx.set(dead.clone(), queue.entry_column(), entry.value.clone())?;
    tx.set(dead, &ERROR, with_causes(&**error))
}

/// Returns an error with its causes, unless its message already includes them.
pub(crate) fn with_causes(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let of_cause = error.to_string();
        if !text.contains(&of_cause) {
            text = format!("{text}: {of_cause}");
        }
        cause = error.source();
    }
    text
}
