//! A combine queue as a recipe: its observer.

use std::sync::Arc;

use fluo_engine::{ObserverError, Recipe, Registration, Result, Transaction, observer_fn};
use futures::future::{FutureExt, TryFutureExt};

use super::bucket::Bucket;
use super::queue::Combining;
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
        let changes = move |tx, changes| process(tx, changes).err_into().boxed();
        let combiner = self.role.combiner.clone();
        self.role = Arc::new(Combining { combiner, changes: Some(Box::new(changes)) });
        self
    }
}

impl<K: Send + 'static, V: Send + 'static> Recipe for CombineQueue<K, V> {
    fn registration(&self) -> Result<Registration> {
        let queue = self.clone();
        self.registered(Some(Arc::new(observer_fn(move |tx, row, _| {
            let queue = queue.clone();
            async move {
                queue.stored.check_bucket_row(&row)?;
                let changes = Bucket::new(&queue, &tx, &row).pass().await?;
                match &queue.role.changes {
                    Some(process) if !changes.is_empty() => process(tx, changes).await,
                    _ => Ok(()),
                }
            }
        }))))
    }
}
