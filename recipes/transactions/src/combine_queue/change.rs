//! The changes that a combine queue reports.

use std::future::Future;

use async_trait::async_trait;
use fluo_engine::{ObserverError, Transaction};

/// The change of the value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<K, V> {
    /// The key.
    pub key: K,
    /// The value before; `None` if the key had none. It is the new value of the last change of this
    /// key that was reported.
    pub old: Option<V>,
    /// The value after; `None` if the key has none.
    pub new: Option<V>,
}

/// Code that runs when values of a queue have changed.
///
/// Functions and closures of the form `|tx: Transaction, changes: Vec<Change<K, V>>| async {..}`
/// are change observers.
#[async_trait]
pub trait ChangeObserver<K, V>: Send + Sync + 'static {
    /// Processes changes, in the transaction that makes them: either both are committed or neither.
    ///
    /// `changes` is not empty, has each key at most once, and is sorted by the bytes of the keys.
    /// All changes are of one bucket. A conflict repeats the whole transaction, so the observer
    /// should write only cells that no other transaction writes, or add to queues.
    ///
    /// # Errors
    ///
    /// After an error nothing is written, and the worker tries again later, as for every
    /// [`Observer`](fluo_engine::Observer).
    async fn process(
        &self,
        tx: Transaction,
        changes: Vec<Change<K, V>>,
    ) -> Result<(), ObserverError>;
}

#[async_trait]
impl<K, V, F, R, E> ChangeObserver<K, V> for F
where
    K: Send + 'static,
    V: Send + 'static,
    F: Fn(Transaction, Vec<Change<K, V>>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send,
    E: Into<ObserverError>,
{
    async fn process(
        &self,
        tx: Transaction,
        changes: Vec<Change<K, V>>,
    ) -> Result<(), ObserverError> {
        let processed = self(tx, changes);
        processed.await.map_err(Into::into)
    }
}
