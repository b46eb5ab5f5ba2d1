//! The dead letters of a queue: listing, requeueing, discarding.

use fluo::{Bytes, Error, Result, Snapshot, Timestamp, Transaction};
use fluo_table::{Escaped, Scan, Span};
use futures::TryStreamExt;

use super::StoredQueue;
use crate::queue::{self, Entry};

/// An entry that could not be processed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The bytes of the key.
    pub key: Bytes,
    /// The sequence: the start timestamp of the transaction that added the entry.
    pub sequence: Timestamp,
    /// The bytes of the value. `None` if the cell is missing.
    pub value: Option<Bytes>,
    /// The error, with its causes.
    pub error: String,
    row: Bytes,
}

impl StoredQueue {
    /// Returns the first dead letters, up to a number.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::scan`], and [`Corrupt`](fluo::ErrorKind::Corrupt) for a row that no
    /// queue writes.
    pub async fn dead_letters(&self, snapshot: &Snapshot, most: usize) -> Result<Vec<DeadLetter>> {
        let prefix = self.definition.dead_prefix();
        let mut batches = snapshot.scan(Scan::over(Span::prefix(prefix)));
        let mut letters: Vec<DeadLetter> = Vec::new();
        while let Some(cells) = batches.try_next().await? {
            for cell in cells {
                let is_new = letters.last().is_none_or(|last| last.row != cell.key.row);
                if is_new && letters.len() == most {
                    return Ok(letters);
                }
                if is_new {
                    letters.push(self.letter(cell.key.row)?);
                }
                let Some(letter) = letters.last_mut() else {
                    continue;
                };
                if cell.key.column == queue::ERROR {
                    letter.error = String::from_utf8_lossy(&cell.value).into_owned();
                } else {
                    letter.value = Some(cell.value);
                }
            }
        }
        Ok(letters)
    }

    /// Moves a dead letter back to its bucket, with its sequence, and notifies the bucket. A
    /// receiver that keeps the last sequence of each key ignores it if it has a later one.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo::ErrorKind::Invalid) for a letter without a value. Those of
    /// [`Transaction::set`].
    pub fn requeue(&self, tx: &Transaction, letter: &DeadLetter) -> Result<()> {
        let Some(value) = &letter.value else {
            return Err(Error::invalid(format!(
                "the dead letter `{}` has no value, so it cannot be requeued; discard it",
                Escaped(&letter.row)
            )));
        };
        let queue = &self.definition;
        let row = queue.entry_row(&letter.key, letter.sequence);
        tx.set(row, queue.entry_column(), value.clone())?;
        tx.notify(queue.bucket_row_of(&letter.key), &queue.notification())?;
        self.discard(tx, letter)
    }

    /// Deletes a dead letter.
    ///
    /// # Errors
    ///
    /// Those of [`Transaction::delete`].
    pub fn discard(&self, tx: &Transaction, letter: &DeadLetter) -> Result<()> {
        if letter.value.is_some() {
            tx.delete(letter.row.clone(), self.definition.entry_column())?;
        }
        tx.delete(letter.row.clone(), &queue::ERROR)
    }

    fn letter(&self, row: Bytes) -> Result<DeadLetter> {
        let entry = Entry::parse(row, &self.definition.dead_prefix(), Bytes::new())?;
        Ok(DeadLetter {
            key: entry.key,
            sequence: entry.sequence,
            value: None,
            error: String::new(),
            row: entry.row,
        })
    }
}
