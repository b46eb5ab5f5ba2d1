//! The dead letters of a queue: burying, listing, requeueing, discarding.

use std::collections::BTreeMap;
use std::future::ready;

use fluo_engine::{
    Bytes, Cell, Column, Error, ObserverError, Result, RowColumn, Snapshot, Timestamp, Transaction,
};
use fluo_table::coordination::FailedNotification;
use fluo_table::{Escaped, Scan, Span};
use futures::stream::{BoxStream, StreamExt, TryStreamExt};

use super::StoredQueue;
use crate::queue::Entry;
use crate::rows::rows;
use crate::telemetry::{self, DEAD_LETTERS};

const ERROR: Column = Column::from_static("dead", "error");

/// An entry that could not be processed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Moves an entry to the dead letters, with the error. Its caller deletes the entry.
    pub(crate) fn bury(
        &self,
        tx: &Transaction,
        entry: &Entry,
        error: &ObserverError,
    ) -> Result<()> {
        let dead = self.dead_row(&entry.row);
        tx.set(dead.clone(), self.entry_column(), entry.value.clone())?;
        let mut error = FailedNotification::describe(&**error);
        FailedNotification::cut(&mut error);
        tx.set(dead, &ERROR, error)?;
        telemetry::count(DEAD_LETTERS, &self.id, 1);
        Ok(())
    }

    /// Returns the dead letters, sorted by the bytes of their rows. Holds one batch of cells in
    /// memory.
    ///
    /// # Errors
    ///
    /// The stream ends after its first error: those of [`Snapshot::scan`], and
    /// [`Corrupt`](fluo_engine::ErrorKind::Corrupt) for a row that no queue writes.
    pub fn dead_letters(&self, snapshot: &Snapshot) -> BoxStream<'static, Result<DeadLetter>> {
        let prefix = self.dead_prefix();
        let found = snapshot.scan(Scan::over(Span::prefix(prefix.clone())));
        rows(found).and_then(move |cells| ready(DeadLetter::parse(cells, &prefix))).boxed()
    }

    /// Moves a dead letter back to its bucket, with its sequence, and notifies the bucket. A
    /// receiver that keeps the last sequence of each key ignores it if it has a later one. Returns
    /// false, and changes nothing, if the letter was requeued or discarded before.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a letter without a value. Those of
    /// [`Snapshot::get_many`] and [`Transaction::set`].
    pub async fn requeue(&self, tx: &Transaction, letter: &DeadLetter) -> Result<bool> {
        let stored = self.stored(tx, letter).await?;
        if stored.is_empty() {
            return Ok(false);
        }
        let value = stored.into_iter().find(|(cell, _)| cell.column == *self.entry_column());
        let Some((_, value)) = value else {
            return Err(Error::invalid(format!(
                "the dead letter `{}` has no value, so it cannot be requeued; discard it",
                Escaped(&letter.row)
            )));
        };
        let row = self.entry_row(&letter.key, letter.sequence);
        tx.set(row, self.entry_column(), value)?;
        tx.notify(self.bucket_row_of(&letter.key), &self.notification())?;
        self.discard(tx, letter).await
    }

    /// Deletes a dead letter. Returns false, and changes nothing, if the letter was requeued or
    /// discarded before.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::get_many`] and [`Transaction::delete`].
    pub async fn discard(&self, tx: &Transaction, letter: &DeadLetter) -> Result<bool> {
        let stored = self.stored(tx, letter).await?;
        for cell in stored.keys() {
            tx.delete(cell.row.clone(), &cell.column)?;
        }
        Ok(!stored.is_empty())
    }

    async fn stored(
        &self,
        tx: &Transaction,
        letter: &DeadLetter,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let columns = [self.entry_column(), &ERROR];
        let cells = columns.map(|column| RowColumn::new(letter.row.clone(), column.clone()));
        tx.get_many(cells).await
    }
}

impl DeadLetter {
    /// Returns the number of bytes of its row, its value and its error.
    pub fn size_bytes(&self) -> usize {
        self.row.len() + self.value.as_ref().map_or(0, Bytes::len) + self.error.len()
    }

    /// Parses the cells of a row, at least one.
    fn parse(cells: Vec<Cell>, prefix: &[u8]) -> Result<Self> {
        let row = cells.first().map(|cell| cell.key.row.clone()).expect("a row has cells");
        let entry = Entry::parse(row, prefix, Bytes::new())?;
        let is_error = |cell: &Cell| cell.key.column == ERROR;
        let (mut errors, mut values): (Vec<_>, Vec<_>) = cells.into_iter().partition(is_error);
        let error = errors.pop().map(|cell| String::from_utf8_lossy(&cell.value).into_owned());
        Ok(Self {
            key: entry.key,
            sequence: entry.sequence,
            value: values.pop().map(|cell| cell.value),
            error: error.unwrap_or_default(),
            row: entry.row,
        })
    }
}
