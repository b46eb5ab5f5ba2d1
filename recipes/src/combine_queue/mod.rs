//! Many transactions update one key without conflicts.
//!
//! # Why
//!
//! Transactions that read and write one cell conflict, so a counter that many of them increment is
//! as slow as one of them at a time. A [`CombineQueue`] only appends: each transaction adds an
//! update as a row of its own, and reads nothing. An observer later combines the updates of a key
//! with its current value, many at once, and reports the changes.
//!
//! # Rules
//!
//! - Adding an update never conflicts with another transaction that adds one to the same key.
//! - [`CombineQueue::get`] returns the value with all updates that were committed before the
//!   snapshot, whether the observer has combined them or not.
//! - A reported new value contains all updates of the key that were committed before the
//!   transaction of the observer began, unless the key has more updates than a pass can read
//!   ([`buffer_bytes`](CombineQueue::buffer_bytes)). A reported old value is the last reported new
//!   value of the key.
//! - Values that are equal in their bytes are not reported.
//! - Updates that cannot be decoded or combined become dead letters. Other keys are not affected.
//!
//! The bytes are those of Apache Fluo Recipes, described in `layout.rs`. The settings are those
//! that its `CombineQueue.configure` stores. Three errors of it are not repeated: keys with equal
//! hashes are not mixed, a key with more updates than the limit makes progress, and keys that are
//! prefixes of each other keep their own updates.
//!
//! # What it does not do
//!
//! It gives no value without the observer's delay to other tables, and no order between keys. The
//! number of buckets of a queue in use cannot change.

mod batch;
mod change;
mod combiner;
mod layout;
mod observer;
mod pass;
mod read;
mod settings;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use fluo::{Bytes, Column, Error, ErrorKind, ObserverError, Observers, Result, Transaction};

pub use batch::Batch;
pub use change::{Change, ChangeObserver};
pub use combiner::{Combiner, Max, Min, Monoid, Sum};

pub(crate) use layout::UPDATE;
pub(crate) use settings::{OPTIMIZER, settings_prefix};

use crate::codec::{Codec, KeyCodec, Text};
use crate::queue::{Buckets, QueueId, QueueOptions};
use layout::Layout;
use observer::BucketObserver;
use pass::Group;

/// The number of buckets, if no other is set.
const BUCKETS: u32 = 119;
/// The number of bytes of updates that a pass reads, if no other is set.
pub(crate) const BUFFER_BYTES: usize = 4 << 20;

/// Returns the column of the notifications of the buckets of a queue.
pub(crate) fn notification(id: &QueueId) -> Column {
    Layout::notification(id)
}

/// A queue of updates and the values that they make. See the [module](self).
///
/// Cloning is cheap. `K` is the type of the keys, `V` that of the values and of the updates.
///
/// # Examples
///
/// ```
/// use fluo::{Instance, InstanceExt, Observers, Transaction, Worker, WorkerOptions};
/// use fluo_recipes::combine_queue::{Change, CombineQueue, Sum};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo::Result<()> {
/// let words = CombineQueue::<String, u64>::new("wc", Sum)?.buckets(7)?;
/// let observers = words.observe_changes(
///     Observers::new(),
///     async |_: Transaction, changes: Vec<Change<String, u64>>| {
///         // Runs in the transaction that changes the values.
///         assert!(changes.iter().all(|change| change.old != change.new));
///         fluo::Result::<()>::Ok(())
///     },
/// )?;
/// let client = Instance::in_memory().application("count").observers(&observers).create().await?;
/// let worker = Worker::start(&client, observers, WorkerOptions::new()).await?;
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
pub struct CombineQueue<K, V> {
    inner: Arc<Inner<K, V>>,
}

struct Inner<K, V> {
    id: QueueId,
    options: QueueOptions,
    layout: Layout,
    keys: Arc<dyn KeyCodec<K>>,
    values: Arc<dyn Codec<V>>,
    combiner: Arc<dyn Combiner<K, V>>,
}

impl<K: 'static, V: 'static> CombineQueue<K, V> {
    /// Creates a queue whose keys and values are written as [`Text`].
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for an empty id, and for one with `:`, `!`, `#` or a control
    /// character.
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
        let id = QueueId::new(id)?;
        let options = QueueOptions::new(Buckets::new(BUCKETS)?, BUFFER_BYTES);
        let layout = Layout {
            id: id.clone(),
            buckets: options.buckets,
        };
        let inner = Inner {
            id,
            options,
            layout,
            keys: Arc::new(keys),
            values: Arc::new(values),
            combiner: Arc::new(combiner),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Sets the number of buckets: the number of transactions that can combine at once. It must be
    /// the same in all programs, and cannot change while the queue has data. Default: 119.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for zero, and for 2^31 and more.
    pub fn buckets(self, buckets: u32) -> Result<Self> {
        let buckets = Buckets::new(buckets)?;
        Ok(self.with(|inner| {
            inner.options.buckets = buckets;
            inner.layout.buckets = buckets;
        }))
    }

    /// Sets the number of buckets in a tablet, for the split points of the table. Default: 10.
    #[must_use]
    pub fn buckets_per_tablet(self, buckets: NonZeroU32) -> Self {
        self.with(|inner| inner.options.buckets_per_tablet = buckets)
    }

    /// Sets the number of bytes of updates, rows and values, that one transaction of the observer
    /// combines. Default: 4 MiB.
    #[must_use]
    pub fn buffer_bytes(self, bytes: usize) -> Self {
        self.with(|inner| inner.options.buffer_bytes = bytes)
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.inner.id.as_str()
    }

    /// Adds an update of a key, and the notification of its bucket, to a transaction. Reads
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for a key or value that its codec cannot encode, for a
    /// second update of a key in this transaction (use a [`batch`](Self::batch)), and if the
    /// application does not observe the queue. Those of [`Transaction::set`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a literal is the usual value, and has no type behind a reference"
    )]
    pub fn add(&self, tx: &Transaction, key: impl Into<K>, value: V) -> Result<()> {
        let key = self.encode_key(&key.into())?;
        self.add_encoded(tx, &key, &value)
    }

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
    ) -> Result<()>
    where
        K: Send,
        V: Send,
    {
        let mut batch = self.batch();
        for (key, value) in updates {
            batch.add(key, value)?;
        }
        batch.write(tx)
    }

    /// Returns an empty batch of updates.
    #[must_use]
    pub fn batch(&self) -> Batch<'_, K, V>
    where
        K: Send,
        V: Send,
    {
        Batch::new(self)
    }

    fn with(self, change: impl FnOnce(&mut Inner<K, V>)) -> Self {
        let Inner {
            id,
            options,
            layout,
            keys,
            values,
            combiner,
        } = &*self.inner;
        let mut inner = Inner {
            id: id.clone(),
            options: options.clone(),
            layout: layout.clone(),
            keys: keys.clone(),
            values: values.clone(),
            combiner: combiner.clone(),
        };
        change(&mut inner);
        Self {
            inner: Arc::new(inner),
        }
    }

    fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    fn options(&self) -> &QueueOptions {
        &self.inner.options
    }

    fn combiner(&self) -> &dyn Combiner<K, V> {
        &*self.inner.combiner
    }

    fn encode_key(&self, key: &K) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.inner
            .keys
            .encode(key, &mut bytes)
            .map_err(|error| self.invalid("a key", error.into()))?;
        Ok(bytes)
    }

    fn encode_value(&self, value: &V) -> Result<Bytes, ObserverError> {
        let mut bytes = Vec::new();
        self.inner.values.encode(value, &mut bytes)?;
        Ok(Bytes::from(bytes))
    }

    fn add_encoded(&self, tx: &Transaction, key: &[u8], value: &V) -> Result<()> {
        let value = self
            .encode_value(value)
            .map_err(|error| self.invalid("a value", error))?;
        tx.set(self.layout().update_row(key, tx.start()), &UPDATE, value)?;
        let bucket = self.layout().bucket_row(self.layout().buckets.of(key));
        tx.notify(bucket, &Layout::notification(&self.inner.id))
    }

    /// Combines several updates of a key into one.
    fn combine_updates(&self, key: &K, updates: Vec<V>) -> Result<Option<V>> {
        if !self.combiner().is_order_free() {
            let message = "its combiner does not promise that updates may be combined in any order";
            return Err(self.invalid("several updates of one key", message.into()));
        }
        self.combiner()
            .combine(key, None, updates)
            .map_err(|error| self.invalid("the updates of a key", error))
    }

    /// Returns the change of a key by its updates, and the bytes of the new value.
    fn combine(
        &self,
        group: &Group,
        current: Option<&Bytes>,
    ) -> Result<(Change<K, V>, Option<Bytes>), ObserverError> {
        let key = self.inner.keys.decode(&group.key)?;
        let decode = |bytes: &Bytes| self.inner.values.decode(bytes);
        let updates: Result<Vec<V>, _> = group
            .updates
            .iter()
            .map(|update| decode(&update.value))
            .collect();
        let new = self
            .combiner()
            .combine(&key, current.map(decode).transpose()?, updates?)?;
        let bytes = new.as_ref().map(|new| self.encode_value(new)).transpose()?;
        let old = current.map(decode).transpose()?;
        Ok((Change { key, old, new }, bytes))
    }

    fn invalid(&self, what: &str, error: ObserverError) -> Error {
        let message = format!(
            "combine queue `{}`: {what} cannot be added: {error}",
            self.id()
        );
        Error::with_source(ErrorKind::Invalid, message, error)
    }
}

impl<K: Send + 'static, V: Send + 'static> CombineQueue<K, V> {
    /// Registers the observer that combines the updates.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if a queue with this id is registered already.
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
        let id = &self.inner.id;
        observers.weak(Layout::notification(id), Layout::observer_id(id), observer)
    }
}

impl<K, V> Clone for CombineQueue<K, V> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<K, V> fmt::Debug for CombineQueue<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CombineQueue")
            .field("id", &self.inner.id.as_str())
            .field("options", &self.inner.options)
            .finish_non_exhaustive()
    }
}
