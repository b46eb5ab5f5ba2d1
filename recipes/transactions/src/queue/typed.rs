//! The typed side of a queue: its stored part with the codecs of its keys and values.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use fluo_engine::{
    Bytes, Error, ErrorKind, Observer, ObserverError, Registration, Result, Transaction,
};

use super::entry::entry_row;
use super::{Buckets, QueueKind, StoredQueue};
use crate::codec::{Codec, KeyCodec};

/// A queue of an application: a [`CombineQueue`](crate::combine_queue::CombineQueue) or an
/// [`ExportQueue`](crate::export_queue::ExportQueue). Cloning is cheap.
///
/// Each alias has its own `new`: see
/// [that of combine queues](crate::combine_queue::CombineQueue#method.new), which takes a combiner,
/// and [that of export queues](crate::export_queue::ExportQueue#method.new).
#[must_use]
pub struct TypedQueue<K, V, R> {
    pub(crate) stored: StoredQueue,
    pub(crate) keys: Arc<dyn KeyCodec<K>>,
    pub(crate) values: Arc<dyn Codec<V>>,
    /// The code that processes the entries.
    pub(crate) role: R,
}

impl<K: 'static, V: 'static, R> TypedQueue<K, V, R> {
    pub(crate) fn with_role(
        kind: QueueKind,
        id: impl Into<String>,
        keys: impl KeyCodec<K>,
        values: impl Codec<V>,
        role: R,
    ) -> Result<Self> {
        let stored = StoredQueue::new(kind, id)?;
        Ok(Self { stored, keys: Arc::new(keys), values: Arc::new(values), role })
    }

    /// Sets the number of buckets: the number of transactions that can combine or export at once.
    /// It must be the same in all programs, and cannot change while the queue has data. Default:
    /// 119.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for zero, and for 2^31 and more.
    pub fn buckets(mut self, buckets: u32) -> Result<Self> {
        self.stored.buckets = Buckets::new(buckets)?;
        Ok(self)
    }

    /// Sets the number of buckets in a tablet, for the split points of the table. Default: 10.
    pub fn buckets_per_tablet(mut self, buckets: NonZeroU32) -> Self {
        self.stored.buckets_per_tablet = buckets;
        self
    }

    /// Sets the number of bytes of entries, at least one, that a transaction processes.
    ///
    /// An export queue passes them to one call of the exporter, and counts keys and values.
    /// Default: 1 MiB.
    ///
    /// A combine queue counts rows and values. Default: 4 MiB. Its transaction also ends when the
    /// new values of its keys fill the half of
    /// [`max_transaction_bytes`](fluo_engine::ClientOptions::max_transaction_bytes).
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.stored.buffer_bytes = bytes.max(1);
        self
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.stored.id
    }

    /// Adds an update of a key, or an entry to export, and the notification of its bucket to a
    /// transaction. Reads nothing.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for a key or value that its codec cannot encode, for a
    /// second entry of a key in this transaction (on a combine queue, use
    /// [`extend`](crate::combine_queue::CombineQueue::extend)), and if the application does not
    /// observe the queue. Those of [`Transaction::set`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a literal is the usual value, and has no type behind a reference"
    )]
    pub fn add(&self, tx: &Transaction, key: impl Into<K>, value: V) -> Result<()> {
        let key = self.encode_key(&key.into())?;
        self.add_encoded(tx, &key, &value)
    }

    pub(crate) fn add_encoded(&self, tx: &Transaction, key: &[u8], value: &V) -> Result<()> {
        let value = self.encode_value(value);
        let value = value.map_err(|error| self.invalid("a value", error))?;
        let queue = &self.stored;
        let bucket_row = queue.bucket_row_of(key);
        tx.set(entry_row(&bucket_row, key, tx.start()), queue.entry_column(), value)?;
        tx.notify(bucket_row, &queue.notification())
    }

    pub(crate) fn encode_key(&self, key: &K) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let encoded = self.keys.encode(key, &mut bytes);
        encoded.map_err(|error| self.invalid("a key", error.into()))?;
        Ok(bytes)
    }

    pub(crate) fn encode_value(&self, value: &V) -> Result<Bytes, ObserverError> {
        let mut bytes = Vec::new();
        self.values.encode(value, &mut bytes)?;
        Ok(Bytes::from(bytes))
    }

    /// Returns the registration, with the observer of the buckets if this program runs it.
    pub(crate) fn registered(&self, observer: Option<Arc<dyn Observer>>) -> Result<Registration> {
        self.stored.registration(&self.keys.name(), &self.values.name(), observer)
    }

    pub(crate) fn invalid(&self, what: &str, error: ObserverError) -> Error {
        let message = format!("{}: {what} cannot be added: {error}", self.stored);
        Error::with_source(ErrorKind::Invalid, message, error)
    }
}

impl<K, V, R: Clone> Clone for TypedQueue<K, V, R> {
    fn clone(&self) -> Self {
        Self {
            stored: self.stored.clone(),
            keys: self.keys.clone(),
            values: self.values.clone(),
            role: self.role.clone(),
        }
    }
}

impl<K, V, R> fmt::Debug for TypedQueue<K, V, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.stored.kind {
            QueueKind::Combine => "CombineQueue",
            QueueKind::Export => "ExportQueue",
        };
        f.debug_struct(name).field("stored", &self.stored).finish_non_exhaustive()
    }
}
