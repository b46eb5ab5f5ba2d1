//! A combine queue as a recipe: its observer.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_engine::{
    Bytes, Column, Observer, ObserverError, Recipe, Registration, Result, Transaction,
};

use super::bucket::Bucket;
use super::{Change, ChangeObserver, CombineQueue};

impl<K: Send + 'static, V: Send + 'static> CombineQueue<K, V> {
    /// Sets the code that gets the changes of values, in the transaction that makes them. See
    /// [`ChangeObserver::process`].
    #[must_use]
    pub fn on_changes<F, R, E>(self, process: F) -> Self
    where
        F: Fn(Transaction, Vec<Change<K, V>>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<ObserverError> + 'static,
    {
        self.on_changes_with(process)
    }

    /// Sets the observer of the changes. See [`on_changes`](Self::on_changes).
    #[must_use]
    pub fn on_changes_with(mut self, changes: impl ChangeObserver<K, V>) -> Self {
        self.changes = Some(Arc::new(changes));
        self
    }
}

impl<K: Send + 'static, V: Send + 'static> Recipe for CombineQueue<K, V> {
    fn registration(&self) -> Result<Registration> {
        let observer = BucketObserver { queue: self.clone() };
        self.queue.registration(Some(Arc::new(observer)))
    }
}

/// The observer of the notifications of a queue.
struct BucketObserver<K, V> {
    queue: CombineQueue<K, V>,
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
        // Without an observer, changes need no memory.
        let changes = self.queue.changes.is_some().then(BTreeMap::new);
        let mut bucket = Bucket::new(&self.queue, &tx, &row, changes);
        bucket.pass(&column).await?;
        let changes = bucket.into_changes();
        match &self.queue.changes {
            Some(observer) if !changes.is_empty() => observer.process(tx, changes).await,
            _ => Ok(()),
        }
    }
}
