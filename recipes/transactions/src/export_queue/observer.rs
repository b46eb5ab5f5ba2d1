//! An export queue as a recipe: its observer, which makes a pass over the bucket of a notification.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_engine::{
    Bytes, Column, Observer, ObserverError, Recipe, Registration, Result, RetryAfter, Transaction,
};
use fluo_table::Scan;
use futures::{FutureExt, TryStreamExt};

use super::layout::entries_from;
use super::pass::Pass;
use super::{Export, ExportError, ExportQueue, Exported, Exporter, Exports};
use crate::queue::Entry;
use crate::telemetry::{self, PROCESSED};

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> ExportQueue<K, V> {
    /// Sets the code that exports the entries. See [`Exporter::export`]. A program without it can
    /// add entries, and another program exports them.
    pub fn export_to<F, R>(self, export: F) -> Self
    where
        F: Fn(Exports<K, V>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Exported, ExportError>> + Send + 'static,
    {
        self.export_with(export)
    }

    /// Sets the exporter, such as a [`TableSink`](crate::sink::TableSink). See
    /// [`export_to`](Self::export_to).
    pub fn export_with(self, exporter: impl Exporter<K, V>) -> Self {
        Self { role: Some(Arc::new(exporter)), ..self }
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Recipe for ExportQueue<K, V> {
    fn registration(&self) -> Result<Registration> {
        let observer = self.role.clone().map(|exporter| {
            Arc::new(BucketObserver { queue: self.clone(), exporter }) as Arc<dyn Observer>
        });
        self.registered(observer)
    }
}

struct BucketObserver<K, V> {
    queue: ExportQueue<K, V>,
    exporter: Arc<dyn Exporter<K, V>>,
}

/// The entries that a call of the exporter has finished.
#[derive(Debug, Default)]
struct Delivered {
    /// The number of entries, from the first one on, that leave the queue.
    done: usize,
    /// Those of them that become dead letters, with the errors.
    letters: Vec<(usize, ObserverError)>,
}

#[async_trait]
impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Observer for BucketObserver<K, V> {
    async fn process(&self, tx: Transaction, row: Bytes, _: Column) -> Result<(), ObserverError> {
        let queue = &self.queue.stored;
        queue.check_bucket_row(&row)?;
        let before = tx.get(row.clone(), queue.next_column()).await?;
        let mut pass = Pass::new(queue.buffer_bytes, &queue.id);
        let mut entries = queue.entries(&tx, Scan::over(entries_from(&row, before.as_deref())));
        while let Some(entry) = entries.try_next().await? {
            if !pass.offer(entry) {
                break;
            }
        }
        let acknowledged = self.export(&tx, &pass.entries).await?;
        Ok(pass.end(before.is_some(), acknowledged).write(&tx, queue, row)?)
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> BucketObserver<K, V> {
    /// Exports entries, and deletes those that are acknowledged or become dead letters. Returns the
    /// number of entries, from the first one on, that are deleted.
    async fn export(&self, tx: &Transaction, entries: &[Entry]) -> Result<usize, ObserverError> {
        let delivered = if tx.is_last_try() {
            self.deliver_in_parts(entries).await?
        } else {
            self.deliver(entries).await?
        };
        let queue = &self.queue.stored;
        for entry in entries.iter().take(delivered.done) {
            tx.delete(entry.row.clone(), queue.entry_column())?;
        }
        for (position, error) in &delivered.letters {
            if let Some(entry) = entries.get(*position) {
                queue.bury(tx, entry, error)?;
            }
        }
        telemetry::count(PROCESSED, &queue.id, delivered.done);
        Ok(delivered.done)
    }

    /// Delivers entries, and halves them while the exporter fails. A single entry on which it fails
    /// becomes a dead letter if another one is delivered: otherwise the exporter may fail on all of
    /// them, and its error is returned.
    async fn deliver_in_parts(&self, entries: &[Entry]) -> Result<Delivered, ObserverError> {
        let mut all = Delivered::default();
        let mut is_any_delivered = false;
        // The letter of the first single entry on which the exporter has failed.
        let mut doubted = None;
        let mut parts = vec![entries];
        while let Some(part) = parts.pop() {
            let delivery = AssertUnwindSafe(self.deliver(part)).catch_unwind().await;
            let error = match delivery {
                Ok(Ok(delivered)) => {
                    // Entries that cannot be decoded say nothing about the exporter.
                    is_any_delivered |= delivered.done > delivered.letters.len();
                    let letters = delivered.letters.into_iter();
                    all.letters.extend(letters.map(|(place, error)| (all.done + place, error)));
                    all.done += delivered.done;
                    if delivered.done == part.len() {
                        continue;
                    }
                    break;
                }
                Ok(Err(error)) => error,
                Err(_) => "the exporter panicked; its log has the message".into(),
            };
            if error.is::<RetryAfter>() {
                if is_any_delivered {
                    break;
                }
                return Err(error);
            }
            if part.len() > 1 {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
                continue;
            }
            if doubted.is_some() && !is_any_delivered {
                return Err(error);
            }
            doubted = doubted.or(Some(all.letters.len()));
            all.letters.push((all.done, error));
            all.done += 1;
            if is_any_delivered {
                break;
            }
        }
        match doubted.filter(|_| !is_any_delivered) {
            Some(letter) => Err(all.letters.swap_remove(letter).1),
            None => Ok(all),
        }
    }

    /// Delivers entries in one call of the exporter.
    async fn deliver(&self, entries: &[Entry]) -> Result<Delivered, ObserverError> {
        let mut exports = Vec::with_capacity(entries.len());
        // The position among all entries, of each that is exported.
        let mut positions = Vec::with_capacity(entries.len());
        let mut letters = Vec::new();
        for (position, entry) in entries.iter().enumerate() {
            match self.decode(entry) {
                Ok(export) => {
                    exports.push(export);
                    positions.push(position);
                }
                Err(error) => letters.push((position, error)),
            }
        }
        let (exported, rejected) = self.call(exports.into()).await?;
        let done = positions.get(exported).copied().unwrap_or(entries.len());
        for (index, why) in rejected {
            if let Some(position) = positions.get(index) {
                letters.push((*position, why.into()));
            }
        }
        letters.retain(|(position, _)| *position < done);
        Ok(Delivered { done, letters })
    }

    fn decode(&self, entry: &Entry) -> Result<Export<K, V>, ObserverError> {
        let key = self.queue.keys.decode(&entry.key)?;
        let value = self.queue.values.decode(&entry.value)?;
        Ok(Export::new(key, entry.key.clone(), value, entry.sequence))
    }

    /// Calls the exporter, unless there is nothing to export.
    async fn call(
        &self,
        exports: Exports<K, V>,
    ) -> Result<(usize, Vec<(usize, String)>), ObserverError> {
        let count = exports.len();
        if count == 0 {
            return Ok((0, Vec::new()));
        }
        match self.exporter.export(exports).await {
            Ok(exported) => Ok(exported.checked(count)?),
            Err(ExportError { retry_after: Some(pause), source }) => {
                Err(RetryAfter::new(pause, source).into())
            }
            Err(error) => Err(error.into()),
        }
    }
}
