//! The dead letters of a queue: entries that could not be processed.

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
    tx.set(dead, &ERROR, with_causes(error))
}

/// Returns the text of an error with those of its causes.
fn with_causes(error: &ObserverError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
