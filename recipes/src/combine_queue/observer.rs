//! The observer of a combine queue: a pass over the bucket of a notification.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use fluo::{Bytes, Column, Observer, ObserverError, Observers, Result, RowColumn, Transaction};
use fluo_table::Scan;
use futures::TryStreamExt;

use super::layout::{CURRENT, updates_from, value_row};
use super::pass::{Group, Pass};
use super::{Change, ChangeObserver, CombineQueue};
use crate::queue::{QueueDefinition, bury};

/// The number of keys whose current values are read at once.
const KEYS_AT_ONCE: usize = 256;

impl<K: Send + 'static, V: Send + 'static> CombineQueue<K, V> {
    /// Registers the observer that combines the updates.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo::ErrorKind::Invalid) if a queue with this id is registered already.
    pub fn observe(&self, observers: Observers) -> Result<Observers> {
        self.register(observers, None)
    }

    /// Registers the observer that combines the updates, and an observer of the changes.
    ///
    /// # Errors
    ///
    /// The same as [`observe`](Self::observe).
    pub fn observe_changes(
        &self,
        observers: Observers,
        changes: impl ChangeObserver<K, V>,
    ) -> Result<Observers> {
        self.register(observers, Some(Arc::new(changes)))
    }

    fn register(
        &self,
        observers: Observers,
        changes: Option<Arc<dyn ChangeObserver<K, V>>>,
    ) -> Result<Observers> {
        let observer = BucketObserver {
            queue: self.clone(),
            changes,
        };
        self.queue.observe(observers, observer)
    }
}

/// The observer of the notifications of a queue.
struct BucketObserver<K, V> {
    queue: CombineQueue<K, V>,
    changes: Option<Arc<dyn ChangeObserver<K, V>>>,
}

impl<K, V> fmt::Debug for BucketObserver<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BucketObserver").field(&self.queue).finish()
    }
}

#[async_trait]
impl<K: Send + 'static, V: Send + 'static> Observer for BucketObserver<K, V> {
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError> {
        self.queue.definition().check_bucket_row(&row)?;
        let mut bucket = Bucket {
            queue: &self.queue,
            tx: &tx,
            row: &row,
            // Without an observer, changes need no memory.
            changes: self.changes.is_some().then(BTreeMap::new),
        };
        bucket.pass(&column).await?;
        let changes = bucket.changes.unwrap_or_default();
        match &self.changes {
            Some(observer) if !changes.is_empty() => {
                observer.process(tx, changes.into_values().collect()).await
            }
            _ => Ok(()),
        }
    }
}

/// A pass over one bucket, in a transaction.
struct Bucket<'a, K, V> {
    queue: &'a CombineQueue<K, V>,
    tx: &'a Transaction,
    row: &'a Bytes,
    /// The changes, by the bytes of their keys.
    changes: Option<BTreeMap<Bytes, Change<K, V>>>,
}

impl<'a, K: Send + 'static, V: Send + 'static> Bucket<'a, K, V> {
    async fn pass(&mut self, notification: &Column) -> Result<()> {
        let requeues = self.queue.combiner().is_order_free();
        let mut pass = Pass::new(self.definition().options.buffer_bytes, requeues);
        let next = self.definition().next_column();
        let before = self.tx.get(self.row.clone(), next).await?;
        self.read(&mut pass, before.as_deref()).await?;
        let end = pass.end();
        self.apply(end.complete).await?;
        match requeues {
            true => end
                .partial
                .iter()
                .try_for_each(|group| self.requeue(group))?,
            false => self.apply(end.partial).await?,
        }
        let continues = end.next.is_some() || before.is_some();
        match end.next {
            Some(position) => self.tx.set(self.row.clone(), next, position)?,
            None if before.is_some() => self.tx.delete(self.row.clone(), next)?,
            None => {}
        }
        // After a position, a last pass from the start of the bucket finds updates before it.
        match continues {
            true => self.tx.notify(self.row.clone(), notification),
            false => Ok(()),
        }
    }

    /// Reads updates until the pass is full, deletes them, and applies those that are complete.
    async fn read(&mut self, pass: &mut Pass, next: Option<&[u8]>) -> Result<()> {
        let queue = self.definition();
        let scan = Scan::over(updates_from(queue, self.row, next));
        let mut updates = queue.entries(self.tx.scan(queue.select_entries(scan)));
        while let Some(update) = updates.try_next().await? {
            let row = update.row.clone();
            if !pass.offer(update) {
                break;
            }
            self.tx.delete(row, queue.entry_column())?;
            if pass.closed() >= KEYS_AT_ONCE {
                self.apply(pass.take_closed()).await?;
            }
        }
        Ok(())
    }

    /// Combines the updates of keys with their current values.
    async fn apply(&mut self, groups: Vec<Group>) -> Result<()> {
        for groups in groups.chunks(KEYS_AT_ONCE) {
            let queue = self.definition();
            let cell = |group: &Group| RowColumn::new(value_row(queue, &group.key), CURRENT);
            let current = self.tx.get_all(groups.iter().map(cell)).await?;
            for group in groups {
                let cell = cell(group);
                let old = current.get(&cell);
                match self.queue.combine(group, old) {
                    Ok((change, new)) => self.replace(group, cell, (old, new), change)?,
                    Err(error) => self.bury(group, &error)?,
                }
            }
        }
        Ok(())
    }

    /// Replaces the current value of a key, if its bytes change.
    fn replace(
        &mut self,
        group: &Group,
        cell: RowColumn,
        (old, new): (Option<&Bytes>, Option<Bytes>),
        change: Change<K, V>,
    ) -> Result<()> {
        if old == new.as_ref() {
            return Ok(());
        }
        if let Some(changes) = &mut self.changes {
            changes.insert(group.key.clone(), change);
        }
        match new {
            Some(new) => self.tx.set(cell.row, &CURRENT, new),
            None => self.tx.delete(cell.row, &CURRENT),
        }
    }

    /// Combines some updates of a key into one, with the sequence of this transaction.
    fn requeue(&self, group: &Group) -> Result<()> {
        match self.queue.combine(group, None) {
            Ok((_, Some(sum))) => {
                let queue = self.definition();
                let row = queue.entry_row(&group.key, self.tx.start());
                self.tx.set(row, queue.entry_column(), sum)
            }
            Ok((_, None)) => Ok(()),
            Err(error) => self.bury(group, &error),
        }
    }

    /// Moves the updates of a key to the dead letters.
    fn bury(&self, group: &Group, error: &ObserverError) -> Result<()> {
        let mut updates = group.updates.iter();
        updates.try_for_each(|update| bury(self.tx, self.definition(), update, error))
    }

    fn definition(&self) -> &'a QueueDefinition {
        self.queue.definition()
    }
}
