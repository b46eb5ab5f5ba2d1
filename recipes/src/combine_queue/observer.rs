//! The observer of a combine queue, and its registration.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use fluo::{Bytes, Column, Observer, ObserverError, Observers, Result, Transaction};

use super::bucket::Bucket;
use super::{ChangeObserver, CombineQueue};

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
        // Without an observer, changes need no memory.
        let changes = self.changes.is_some().then(BTreeMap::new);
        let mut bucket = Bucket::new(&self.queue, &tx, &row, changes);
        bucket.pass(&column).await?;
        let changes = bucket.into_changes();
        match &self.changes {
            Some(observer) if !changes.is_empty() => observer.process(tx, changes).await,
            _ => Ok(()),
        }
    }
}
