//! The typed side of a queue: its definition with the codecs of its keys and values.

use std::sync::Arc;

use fluo_engine::{
    Bytes, Error, ErrorKind, Observer, ObserverError, Registration, Result, Transaction,
};

use super::entry::entry_row;
use super::{QueueDefinition, QueueKind};
use crate::codec::{Codec, KeyCodec};

/// A queue with the codecs of its keys and values.
pub(crate) struct TypedQueue<K, V> {
    pub(crate) definition: QueueDefinition,
    pub(crate) keys: Arc<dyn KeyCodec<K>>,
    pub(crate) values: Arc<dyn Codec<V>>,
}

impl<K: 'static, V: 'static> TypedQueue<K, V> {
    pub(crate) fn new(
        kind: QueueKind,
        id: impl Into<String>,
        keys: impl KeyCodec<K>,
        values: impl Codec<V>,
    ) -> Result<Self> {
        Ok(Self {
            definition: QueueDefinition::new(kind, id)?,
            keys: Arc::new(keys),
            values: Arc::new(values),
        })
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

    /// Adds an entry, and the notification of its bucket, to a transaction.
    pub(crate) fn add(&self, tx: &Transaction, key: &[u8], value: &V) -> Result<()> {
        let value = self.encode_value(value);
        let value = value.map_err(|error| self.invalid("a value", error))?;
        let queue = &self.definition;
        let bucket_row = queue.bucket_row_of(key);
        let row = entry_row(&bucket_row, key, tx.start());
        tx.set(row, queue.entry_column(), value)?;
        tx.notify(bucket_row, &queue.notification())
    }

    /// Returns the registration, with the observer of the buckets if this program runs it.
    pub(crate) fn registration(
        &self,
        observer: Option<Arc<dyn Observer>>,
    ) -> fluo_table::Result<Registration> {
        let (keys, values) = (self.keys.name(), self.values.name());
        self.definition.registration(&keys, &values, observer)
    }

    pub(crate) fn invalid(&self, what: &str, error: ObserverError) -> Error {
        let message = format!("{}: {what} cannot be added: {error}", self.definition);
        Error::with_source(ErrorKind::Invalid, message, error)
    }
}

impl<K, V> Clone for TypedQueue<K, V> {
    fn clone(&self) -> Self {
        Self {
            definition: self.definition.clone(),
            keys: self.keys.clone(),
            values: self.values.clone(),
        }
    }
}
