//! The observer of an export queue: a pass over the bucket of a notification.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use fluo::{Bytes, Column, Observer, ObserverError, Observers, Result, RetryAfter, Transaction};
use fluo_table::Scan;
use futures::TryStreamExt;

use super::answer::acknowledged;
use super::layout::entries_from;
use super::pass::{Pass, end};
use super::{Export, ExportError, ExportQueue, Exporter, Exports};
use crate::queue::{Entry, bury};
use crate::telemetry::{self, PROCESSED};

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> ExportQueue<K, V> {
    /// Registers the observer that exports the entries.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo::ErrorKind::Invalid) if a queue with this id is registered already.
    pub fn observe(
        &self,
        observers: Observers,
        exporter: impl Exporter<K, V>,
    ) -> Result<Observers> {
        let observer = BucketObserver {
            queue: self.clone(),
            exporter: Arc::new(exporter),
        };
        self.queue.observe(observers, observer)
    }
}

/// The observer of the notifications of a queue.
struct BucketObserver<K, V> {
    queue: ExportQueue<K, V>,
    exporter: Arc<dyn Exporter<K, V>>,
}

impl<K, V> fmt::Debug for BucketObserver<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BucketObserver").field(&self.queue).finish()
    }
}

#[async_trait]
impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Observer for BucketObserver<K, V> {
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError> {
        let queue = self.queue.definition();
        queue.check_bucket_row(&row)?;
        let before = tx.get(row.clone(), queue.next_column()).await?;
        let mut pass = Pass::new(queue.options.buffer_bytes, self.queue.id());
        let scan = Scan::over(entries_from(&row, before.as_deref()));
        let mut entries = queue.entries(tx.scan(queue.select_entries(scan)));
        while let Some(entry) = entries.try_next().await? {
            if !pass.offer(entry) {
                break;
            }
        }
        let count = pass.entries.len();
        let exported = self.export(&tx, pass.entries).await?;
        let end = end(before.is_some(), exported < count, pass.rest);
        if let Some(next) = end.next {
            tx.set(row.clone(), queue.next_column(), next)?;
        } else if end.deletes_next {
            tx.delete(row.clone(), queue.next_column())?;
        }
        if end.continues {
            tx.notify(row, &column)?;
        }
        Ok(())
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> BucketObserver<K, V> {
    /// Exports entries, and deletes those that are acknowledged or become dead letters. Returns the
    /// number of entries, from the first one on, that are deleted.
    async fn export(&self, tx: &Transaction, entries: Vec<Entry>) -> Result<usize, ObserverError> {
        let mut exports = Vec::with_capacity(entries.len());
        // The position among all entries, of each that is exported.
        let mut positions = Vec::with_capacity(entries.len());
        let mut letters = Vec::new();
        for (position, entry) in entries.iter().enumerate() {
            match self.queue.decode(entry) {
                Ok(export) => {
                    exports.push(export);
                    positions.push(position);
                }
                Err(error) => letters.push((position, error)),
            }
        }
        let count = exports.len();
        let (exported, rejected) = self.call(exports.into()).await?;
        let done = match exported < count {
            true => positions.get(exported).copied().unwrap_or_default(),
            false => entries.len(),
        };
        for (index, why) in rejected {
            if let Some(position) = positions.get(index) {
                letters.push((*position, why.into()));
            }
        }
        let queue = self.queue.definition();
        for entry in entries.iter().take(done) {
            tx.delete(entry.row.clone(), queue.entry_column())?;
        }
        for (position, error) in letters.iter().filter(|(position, _)| *position < done) {
            if let Some(entry) = entries.get(*position) {
                bury(tx, queue, entry, error)?;
            }
        }
        telemetry::count(PROCESSED, &queue.id, done);
        Ok(done)
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
            Ok(exported) => Ok(acknowledged(exported, count)?),
            Err(ExportError {
                retry_after: Some(pause),
                source,
            }) => Err(RetryAfter::new(pause, source).into()),
            Err(error) => Err(error.into()),
        }
    }
}

impl<K: 'static, V: 'static> ExportQueue<K, V> {
    fn decode(&self, entry: &Entry) -> Result<Export<K, V>, ObserverError> {
        let key = self.queue.keys.decode(&entry.key)?;
        let value = self.queue.values.decode(&entry.value)?;
        Ok(Export::new(key, entry.key.clone(), value, entry.sequence))
    }
}
