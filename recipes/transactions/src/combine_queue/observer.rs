//! A combine queue as a recipe: its observer.

use std::future::Future;
use std::sync::Arc;

use fluo_engine::{Bytes, ObserverError, Recipe, Registration, Result, Transaction, observer_fn};
use futures::future::{FutureExt, TryFutureExt};

use super::bucket::Bucket;
use super::{Change, CombineQueue};

impl<K: Send + 'static, V: Send + 'static> CombineQueue<K, V> {
    /// Sets the code that gets the changes of values, in the transaction that makes them: either
    /// both are committed or neither.
    ///
    /// The changes are not empty, have each key at most once, are sorted by the bytes of the keys,
    /// and are of one bucket. A conflict repeats the whole transaction, so the code should write
    /// only cells that no other transaction writes, or add to queues. After an error nothing is
    /// written, and the worker tries again later, as for every
    /// [`Observer`](fluo_engine::Observer).
    pub fn on_changes<F, R, E>(mut self, process: F) -> Self
    where
        F: Fn(Transaction, Vec<Change<K, V>>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<ObserverError> + 'static,
    {
        self.role.changes =
            Some(Arc::new(move |tx, changes| process(tx, changes).err_into().boxed()));
        self
    }

    async fn process(&self, tx: Transaction, row: &Bytes) -> Result<(), ObserverError> {
        self.stored.check_bucket_row(row)?;
        let changes = Bucket::new(self, &tx, row).pass().await?;
        match &self.role.changes {
            Some(process) if !changes.is_empty() => process(tx, changes).await,
            _ => Ok(()),
        }
    }
}

impl<K: Send + 'static, V: Send + 'static> Recipe for CombineQueue<K, V> {
    fn registration(&self) -> Result<Registration> {
        let queue = self.clone();
        self.registered(Some(Arc::new(observer_fn(move |tx, row, _| {
            let queue = queue.clone();
            async move { queue.process(tx, &row).await }
        }))))
    }
}
