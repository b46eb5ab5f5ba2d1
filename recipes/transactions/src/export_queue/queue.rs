//! The export queue of an application, and the addition of an entry.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use fluo_engine::{Result, Transaction};

use super::Exporter;
use crate::codec::{Codec, KeyCodec, Text};
use crate::queue::{Buckets, QueueKind, TypedQueue};

/// A queue of entries to export. See the [module](super).
///
/// Cloning is cheap. `K` is the type of the keys, `V` that of the values.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::export_queue::{ExportQueue, Exported};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let mails = ExportQueue::<String, String>::new("mails")?.buckets(7)?;
/// let mails = mails.export_to(async |mails| {
///     for mail in &*mails {
///         println!("{} to {}: {}", mail.sequence, mail.key, mail.value);
///     }
///     Ok(Exported::All)
/// });
/// let client = Instance::in_memory().application("shop").recipe(&mails).create().await?;
/// let worker = client.worker().start().await?;
/// client.run(async |tx| mails.add(&tx, "alice", "your order".to_owned())).await?;
/// client.wait_until_idle().await?;
/// # worker.stop().await;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct ExportQueue<K, V> {
    pub(super) queue: TypedQueue<K, V>,
    pub(super) exporter: Option<Arc<dyn Exporter<K, V>>>,
}

impl<K: 'static, V: 'static> ExportQueue<K, V> {
    /// Creates a queue whose keys and values are written as [`Text`].
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for an empty id, and for one with `:`, `!`, `#`
    /// or a control character.
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
        Ok(Self { queue: TypedQueue::new(QueueKind::Export, id, keys, values)?, exporter: None })
    }

    /// Sets the number of buckets: the number of transactions that can export at once. It must be
    /// the same in all programs, and cannot change while the queue has data. Default: 119.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for zero, and for 2^31 and more.
    pub fn buckets(mut self, buckets: u32) -> Result<Self> {
        self.queue.definition.buckets = Buckets::new(buckets)?;
        Ok(self)
    }

    /// Sets the number of buckets in a tablet, for the split points of the table. Default: 10.
    pub fn buckets_per_tablet(mut self, buckets: NonZeroU32) -> Self {
        self.queue.definition.buckets_per_tablet = buckets;
        self
    }

    /// Sets the number of bytes of entries, keys and values, that one call of the exporter gets; at
    /// least one entry. Default: 1 MiB.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.queue.definition.buffer_bytes = bytes.max(1);
        self
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.queue.definition.id
    }

    /// Adds an entry, and the notification of its bucket, to a transaction. Reads nothing.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a key or value that its codec cannot
    /// encode, for a second entry of a key in this transaction, and if the application does not
    /// observe the queue. Those of [`Transaction::set`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a literal is the usual value, and has no type behind a reference"
    )]
    pub fn add(&self, tx: &Transaction, key: impl Into<K>, value: V) -> Result<()> {
        let key = self.queue.encode_key(&key.into())?;
        self.queue.add(tx, &key, &value)
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
}

impl<K, V> Clone for ExportQueue<K, V> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), exporter: self.exporter.clone() }
    }
}

impl<K, V> fmt::Debug for ExportQueue<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportQueue")
            .field("definition", &self.queue.definition)
            .finish_non_exhaustive()
    }
}
