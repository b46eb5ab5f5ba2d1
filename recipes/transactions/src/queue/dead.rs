//! The dead letters of a queue: entries that could not be processed.

use std::error::Error as StdError;

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
    tx.set(dead, &ERROR, shortened(with_causes(&**error)))?;
    telemetry::count(DEAD_LETTERS, &queue.id, 1);
    Ok(())
}

/// Cuts the text of an error, which may include a large value.
fn shortened(mut text: String) -> String {
    let mut end = FailedNotification::MAX_ERROR_BYTES.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
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

#[cfg(test)]
mod tests {
    use super::{FailedNotification, shortened};

    #[test]
    fn cuts_long_errors_between_characters() {
        assert_eq!(shortened("ä".to_owned()), "ä");
        let long = shortened("aä".repeat(FailedNotification::MAX_ERROR_BYTES));
        let length = long.len();
        assert!((0..=1).contains(&(FailedNotification::MAX_ERROR_BYTES - length)), "{length}");
    }
}
