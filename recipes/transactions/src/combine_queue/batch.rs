//! Updates of one transaction, combined by key before they are added.

use std::collections::BTreeMap;

use fluo_engine::{Result, Transaction};

use super::CombineQueue;

impl<K: Send + 'static, V: Send + 'static> CombineQueue<K, V> {
    /// Adds updates, and combines those of one key first. Two calls in one transaction must not
    /// have a key in common.
    ///
    /// # Errors
    ///
    /// Those of [`Batch::add`] and [`Batch::write`].
    pub fn extend<Q: Into<K>>(
        &self,
        tx: &Transaction,
        updates: impl IntoIterator<Item = (Q, V)>,
    ) -> Result<()> {
        let mut batch = self.batch();
        for (key, value) in updates {
            batch.add(key, value)?;
        }
        batch.write(tx)
    }

    /// Returns an empty batch of updates.
    #[must_use]
    pub fn batch(&self) -> Batch<'_, K, V> {
        Batch::new(self)
    }
}

/// Updates that one transaction adds to a queue. It may have several updates of a key, which a
/// transaction that adds them one by one may not.
///
/// # Examples
///
/// ```
/// use fluo_recipes::combine_queue::{CombineQueue, Sum};
/// # use fluo_engine::{Instance, InstanceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let words = CombineQueue::<String, u64>::new("wc", Sum)?;
/// # let client = Instance::in_memory().application("count").recipe(&words).create().await?;
/// client
///     .run(async |tx| {
///         let mut batch = words.batch();
///         for word in ["cat", "dog", "cat"] {
///             batch.add(word, 1)?;
///         }
///         batch.write(&tx)
///     })
///     .await?;
/// assert_eq!(words.get(&client.snapshot().await?, "cat").await?, Some(2));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Batch<'q, K, V> {
    queue: &'q CombineQueue<K, V>,
    /// The updates, by the bytes of their keys.
    updates: BTreeMap<Vec<u8>, (K, Vec<V>)>,
}

impl<'q, K: Send + 'static, V: Send + 'static> Batch<'q, K, V> {
    pub(super) fn new(queue: &'q CombineQueue<K, V>) -> Self {
        Self { queue, updates: BTreeMap::new() }
    }

    /// Adds an update of a key.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a key that its codec cannot encode.
    pub fn add(&mut self, key: impl Into<K>, value: V) -> Result<()> {
        let key = key.into();
        let bytes = self.queue.queue.encode_key(&key)?;
        let (_, values) = self.updates.entry(bytes).or_insert_with(|| (key, Vec::new()));
        values.push(value);
        Ok(())
    }

    /// Adds the updates to the queue, one for each key: several updates of a key are combined
    /// first, and keys whose updates cancel each other out are omitted.
    ///
    /// # Errors
    ///
    /// Those of [`CombineQueue::add`], and [`Invalid`](fluo_engine::ErrorKind::Invalid) with the
    /// error of the combiner. Earlier updates of this batch stay in the transaction.
    pub fn write(self, tx: &Transaction) -> Result<()> {
        for (bytes, (key, mut values)) in self.updates {
            let value = match (values.len(), values.pop()) {
                (1, value) => value,
                (_, Some(last)) => {
                    values.push(last);
                    self.queue.combine_updates(&key, values)?
                }
                (_, None) => None,
            };
            if let Some(value) = value {
                self.queue.queue.add(tx, &bytes, &value)?;
            }
        }
        Ok(())
    }
}
