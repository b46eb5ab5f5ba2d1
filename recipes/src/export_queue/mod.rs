//! Effects outside of the table, of committed transactions only.
//!
//! # Why
//!
//! A transaction that writes to another system can fail after it has written. An [`ExportQueue`]
//! makes the export a part of the transaction: the entry is committed with its other writes, and an
//! observer exports it later, many entries at once.
//!
//! # Contract
//!
//! Each entry is delivered at least once. The entries of a key that are in the queue are delivered
//! in the order of their sequences, and no two entries of a key have the same sequence. If the
//! transactions that export a key conflict with each other, because they write the row that they
//! export, for example, then the sequences of the key are in the order of their commits. A receiver
//! that keeps the last sequence of each key, and ignores entries that are not larger, applies each
//! entry exactly once; [`TableSink`](crate::sink::TableSink) does so.
//!
//! # Rules
//!
//! - Adding an entry reads nothing and conflicts with nothing.
//! - The exporter acknowledges entries by its [answer](Exported). An entry leaves the queue in the
//!   transaction that follows the export.
//! - An entry that cannot be decoded, or that the exporter rejects, becomes a dead letter. Later
//!   entries of its key are still exported.
//! - An exporter whose receiver is not available returns [`ExportError::retry_after`], and its
//!   bucket waits.
//!
//! The bytes are those of Apache Fluo Recipes, described in `layout.rs`.
//!
//! # What it does not do
//!
//! It gives no order between keys. The number of buckets of a queue in use cannot change.

mod adapters;
mod export;
mod layout;
mod observer;
mod pass;
mod settings;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use fluo::{Column, Error, ErrorKind, ObserverError, Observers, Result, Transaction};

pub use adapters::{FanOut, LatestPerKey, latest_per_key};
pub use export::{Export, ExportError, Exported, Exporter, Exports};

pub(crate) use layout::ENTRY;
pub(crate) use settings::{OPTIMIZER, settings_prefix};

use crate::codec::{Codec, KeyCodec, Text};
use crate::queue::{Buckets, QueueId, QueueOptions};
use layout::Layout;
use observer::BucketObserver;

/// The number of buckets, if no other is set.
const BUCKETS: u32 = 119;
/// The number of bytes of entries that a pass exports, if no other is set.
pub(crate) const BUFFER_BYTES: usize = 1 << 20;

/// Returns the column of the notifications of the buckets of a queue.
pub(crate) fn notification(id: &QueueId) -> Column {
    Layout::notification(id)
}

/// A queue of entries to export. See the [module](self).
///
/// Cloning is cheap. `K` is the type of the keys, `V` that of the values.
///
/// # Examples
///
/// ```
/// use fluo::{Instance, InstanceExt, Observers, Worker, WorkerOptions};
/// use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo::Result<()> {
/// let mails = ExportQueue::<String, String>::new("mails")?.buckets(7)?;
/// let observers = mails.observe(Observers::new(), async |exports: Exports<String, String>| {
///     for mail in &*exports {
///         println!("{} to {}: {}", mail.sequence, mail.key, mail.value);
///     }
///     Ok::<_, ExportError>(Exported::All)
/// })?;
/// let client = Instance::in_memory().application("shop").observers(&observers).create().await?;
/// let worker = Worker::start(&client, observers, WorkerOptions::new()).await?;
/// client.run(async |tx| mails.add(&tx, "alice", "your order".to_owned())).await?;
/// client.wait_until_idle().await?;
/// # worker.stop().await;
/// # Ok(())
/// # }
/// ```
pub struct ExportQueue<K, V> {
    id: QueueId,
    options: QueueOptions,
    layout: Layout,
    keys: Arc<dyn KeyCodec<K>>,
    values: Arc<dyn Codec<V>>,
}

impl<K: 'static, V: 'static> ExportQueue<K, V> {
    /// Creates a queue whose keys and values are written as [`Text`].
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for an empty id, and for one with `:`, `!`, `#` or a control
    /// character.
    pub fn new(id: impl Into<String>) -> Result<Self>
    where
        Text: KeyCodec<K> + Codec<V>,
    {
        Self::with_codecs(id, Text, Text)
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
    ) -> Result<Self> {
        let id = QueueId::new(id)?;
        let options = QueueOptions::new(Buckets::new(BUCKETS)?, BUFFER_BYTES);
        let layout = Layout {
            id: id.clone(),
            buckets: options.buckets,
        };
        Ok(Self {
            id,
            options,
            layout,
            keys: Arc::new(keys),
            values: Arc::new(values),
        })
    }

    /// Sets the number of buckets: the number of transactions that can export at once. It must be
    /// the same in all programs, and cannot change while the queue has data. Default: 119.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for zero, and for 2^31 and more.
    pub fn buckets(mut self, buckets: u32) -> Result<Self> {
        self.options.buckets = Buckets::new(buckets)?;
        self.layout.buckets = self.options.buckets;
        Ok(self)
    }

    /// Sets the number of buckets in a tablet, for the split points of the table. Default: 10.
    #[must_use]
    pub fn buckets_per_tablet(mut self, buckets: NonZeroU32) -> Self {
        self.options.buckets_per_tablet = buckets;
        self
    }

    /// Sets the number of bytes of entries, keys and values, that one call of the exporter gets; at
    /// least one entry. Default: 1 MiB.
    #[must_use]
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.options.buffer_bytes = bytes;
        self
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Adds an entry, and the notification of its bucket, to a transaction. Reads nothing.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for a key or value that its codec cannot encode, for a
    /// second entry of a key in this transaction, and if the application does not observe the
    /// queue. Those of [`Transaction::set`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a literal is the usual value, and has no type behind a reference"
    )]
    pub fn add(&self, tx: &Transaction, key: impl Into<K>, value: V) -> Result<()> {
        let (mut key_bytes, mut bytes) = (Vec::new(), Vec::new());
        let invalid = |what: &str, error: ObserverError| {
            let message = format!(
                "export queue `{}`: {what} cannot be added: {error}",
                self.id
            );
            Error::with_source(ErrorKind::Invalid, message, error)
        };
        self.keys
            .encode(&key.into(), &mut key_bytes)
            .map_err(|error| invalid("a key", error.into()))?;
        self.values
            .encode(&value, &mut bytes)
            .map_err(|error| invalid("a value", error.into()))?;
        tx.set(self.layout.entry_row(&key_bytes, tx.start()), &ENTRY, bytes)?;
        let bucket = self.layout.bucket_row(&key_bytes);
        tx.notify(bucket, &Layout::notification(&self.id))
    }

    /// Adds entries of different keys.
    ///
    /// # Errors
    ///
    /// The same as [`add`](Self::add); entries before the error stay in the transaction.
    pub fn extend<Q: Into<K>>(
        &self,
        tx: &Transaction,
        entries: impl IntoIterator<Item = (Q, V)>,
    ) -> Result<()> {
        let mut entries = entries.into_iter();
        entries.try_for_each(|(key, value)| self.add(tx, key, value))
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn options(&self) -> &QueueOptions {
        &self.options
    }

    fn codecs(&self) -> (&dyn KeyCodec<K>, &dyn Codec<V>) {
        (&*self.keys, &*self.values)
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> ExportQueue<K, V> {
    /// Registers the observer that exports the entries.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if a queue with this id is registered already.
    pub fn observe(
        &self,
        observers: Observers,
        exporter: impl Exporter<K, V>,
    ) -> Result<Observers> {
        let observer = BucketObserver {
            queue: self.clone(),
            exporter: Arc::new(exporter),
        };
        let id = &self.id;
        observers.weak(Layout::notification(id), Layout::observer_id(id), observer)
    }
}

impl<K, V> Clone for ExportQueue<K, V> {
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            options: self.options.clone(),
            layout: self.layout.clone(),
            keys: self.keys.clone(),
            values: self.values.clone(),
        }
    }
}

impl<K, V> fmt::Debug for ExportQueue<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportQueue")
            .field("id", &self.id.as_str())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
