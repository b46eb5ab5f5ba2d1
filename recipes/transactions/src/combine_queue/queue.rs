//! The combine queue of an application: its combiner, and additions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluo_engine::{Bytes, ObserverError, Result, Transaction};
use futures::future::BoxFuture;

use super::Combiner;
use super::pass::Group;
use crate::codec::{Codec, KeyCodec, Text};
use crate::queue::{Entry, QueueKind, TypedQueue};

/// A queue of updates and the values that they make. See the [module](super).
///
/// Cloning is cheap. `K` is the type of the keys, `V` that of the values and of the updates.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Error, Instance, InstanceExt};
/// use fluo_recipes::combine_queue::{CombineQueue, Sum};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let words = CombineQueue::<String, u64>::new("wc", Sum)?.buckets(7)?;
/// let words = words.on_changes(async |_, changes| {
///     // Runs in the transaction that changes the values.
///     assert!(changes.iter().all(|change| change.old != change.new));
///     Ok::<_, Error>(())
/// });
/// let client = Instance::in_memory().application("count").recipe(&words).create().await?;
/// let worker = client.worker().start().await?;
///
/// // These transactions do not conflict, and read nothing.
/// client.run(async |tx| words.add(&tx, "cat", 1)).await?;
/// client.run(async |tx| words.add(&tx, "cat", 2)).await?;
/// assert_eq!(words.get(&client.snapshot().await?, "cat").await?, Some(3));
/// client.wait_until_idle().await?;
/// assert_eq!(words.get(&client.snapshot().await?, "cat").await?, Some(3));
/// # worker.stop().await;
/// # Ok(())
/// # }
/// ```
pub type CombineQueue<K, V> = TypedQueue<K, V, Arc<Combining<K, V>>>;

/// The combiner of a combine queue, and its code for changes. It has no name outside of the crate:
/// [`CombineQueue`] contains it.
pub struct Combining<K, V> {
    pub(super) combiner: Arc<dyn Combiner<K, V>>,
    pub(super) changes: Option<Box<OnChanges<K, V>>>,
}

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

pub(super) type OnChanges<K, V> = dyn Fn(Transaction, Vec<Change<K, V>>) -> BoxFuture<'static, Result<(), ObserverError>>
    + Send
    + Sync;

impl<K: 'static, V: 'static> CombineQueue<K, V> {
    /// Creates a queue whose keys and values are written as [`Text`].
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for an empty id, and for one with `:`, `!`, `#`
    /// or a control character.
    pub fn new(id: impl Into<String>, combiner: impl Combiner<K, V>) -> Result<Self>
    where
        Text: KeyCodec<K> + Codec<V>,
    {
        Self::with_codecs(id, Text, Text, combiner)
    }

    /// Creates a queue with codecs of its keys and values. Java applications write both with
    /// [`Kryo`](crate::codec::Kryo), unless they have set another serializer.
    ///
    /// # Errors
    ///
    /// The same as [`new`](Self::new).
    pub fn with_codecs(
        id: impl Into<String>,
        keys: impl KeyCodec<K>,
        values: impl Codec<V>,
        combiner: impl Combiner<K, V>,
    ) -> Result<Self> {
        let role = Arc::new(Combining { combiner: Arc::new(combiner), changes: None });
        Self::with_role(QueueKind::Combine, id, keys, values, role)
    }

    /// Adds updates, and combines those of one key first. Keys whose updates cancel each other out
    /// are omitted. Two calls in one transaction must not have a key in common.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add), and [`Invalid`](fluo_engine::ErrorKind::Invalid) with the error
    /// of the combiner. Updates of other keys may stay in the transaction.
    pub fn extend<Q: Into<K>>(
        &self,
        tx: &Transaction,
        updates: impl IntoIterator<Item = (Q, V)>,
    ) -> Result<()> {
        let mut by_key: BTreeMap<Vec<u8>, (K, Vec<V>)> = BTreeMap::new();
        for (key, value) in updates {
            let key = key.into();
            let bytes = self.encode_key(&key)?;
            by_key.entry(bytes).or_insert_with(|| (key, Vec::new())).1.push(value);
        }
        for (bytes, (key, mut values)) in by_key {
            let value = match values.len() {
                1 => values.pop(),
                _ => self.combine_updates(&key, values)?,
            };
            if let Some(value) = value {
                self.add_encoded(tx, &bytes, &value)?;
            }
        }
        Ok(())
    }

    fn combine_updates(&self, key: &K, updates: Vec<V>) -> Result<Option<V>> {
        if !self.role.combiner.is_order_free() {
            let message = "its combiner does not promise that updates may be combined in any order";
            return Err(self.invalid("several updates of one key", message.into()));
        }
        self.role
            .combiner
            .combine(key, None, updates)
            .map_err(|error| self.invalid("the updates of a key", error))
    }

    /// Decodes the updates of a key, each by itself, and combines those that can be decoded with a
    /// value.
    pub(super) fn try_combine<'g>(
        &self,
        group: &'g Group,
        current: Option<&Bytes>,
    ) -> Tried<'g, K, V> {
        let (mut updates, mut values, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
        for update in &group.updates {
            match self.values.decode(&update.value) {
                Ok(value) => {
                    updates.push(update);
                    values.push(value);
                }
                Err(error) => damaged.push((update, error.into())),
            }
        }
        let combine = || self.combine(&group.key, values, current);
        Tried { combined: (!updates.is_empty()).then(combine), updates, damaged }
    }

    /// Returns the change of a key by its updates, and the bytes of the new value.
    fn combine(
        &self,
        key: &Bytes,
        updates: Vec<V>,
        current: Option<&Bytes>,
    ) -> Result<Combined<K, V>, ObserverError> {
        let key = self.keys.decode(key)?;
        let decode = |bytes: &Bytes| self.values.decode(bytes);
        let new = self.role.combiner.combine(&key, current.map(decode).transpose()?, updates)?;
        let bytes = new.as_ref().map(|new| self.encode_value(new)).transpose()?;
        let old = current.map(decode).transpose()?;
        Ok((Change { key, old, new }, bytes))
    }
}

pub(super) type Combined<K, V> = (Change<K, V>, Option<Bytes>);

/// The updates of a key, and what they combine to.
pub(super) struct Tried<'g, K, V> {
    /// The updates that could be decoded.
    pub(super) updates: Vec<&'g Entry>,
    /// The updates that could not be decoded, with the error of each.
    pub(super) damaged: Vec<(&'g Entry, ObserverError)>,
    /// `None` if there are no updates that could be decoded.
    pub(super) combined: Option<Result<Combined<K, V>, ObserverError>>,
}

impl<K, V> fmt::Debug for Combining<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Combining").finish_non_exhaustive()
    }
}
