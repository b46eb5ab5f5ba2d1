//! Reads of the values of a combine queue, with the updates that are not combined yet.

use std::collections::BTreeMap;

use fluo_engine::{Bytes, Cell, Error, ErrorKind, ObserverError, Result, RowColumn, Snapshot};
use fluo_table::{Escaped, Scan, Span};
use futures::stream::{self, BoxStream, Stream, StreamExt, TryStreamExt, try_unfold};

use super::CombineQueue;
use super::layout::{CURRENT, bucket_of_values, key_of_value, updates_of, value_row};
use super::pass::Group;

/// The updates that are not combined yet, by the bytes of their keys.
type Pending = BTreeMap<Bytes, Group>;

impl<K: Send + 'static, V: Send + 'static> CombineQueue<K, V> {
    /// Returns the value of a key at a snapshot, with all updates that were committed before it.
    /// `None` if the key has no value.
    ///
    /// Reads one cell, and the updates of the key that the observer has not combined yet.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::get`]. [`Invalid`](ErrorKind::Invalid) for a key that its codec cannot
    /// encode. [`Corrupt`](ErrorKind::Corrupt) for a value or an update that cannot be decoded or
    /// combined.
    pub async fn get(&self, snapshot: &Snapshot, key: impl Into<K>) -> Result<Option<V>> {
        Ok(self.get_many(snapshot, [key]).await?.into_iter().next().flatten())
    }

    /// Returns the values of some keys, in their order, read in two scans.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_many<Q: Into<K>>(
        &self,
        snapshot: &Snapshot,
        keys: impl IntoIterator<Item = Q>,
    ) -> Result<Vec<Option<V>>> {
        let keys: Result<Vec<Vec<u8>>> =
            keys.into_iter().map(|key| self.encode_key(&key.into())).collect();
        let keys = keys?;
        let spans = keys.iter().map(|key| updates_of(&self.stored, key));
        let pending = self.pending(snapshot, Scan::over_all(spans)).await?;
        let cell = |key: &Vec<u8>| RowColumn::new(value_row(&self.stored, key), CURRENT);
        let current = snapshot.get_many(keys.iter().map(cell)).await?;
        let value = |key: &Vec<u8>| {
            let value = self.value(key, current.get(&cell(key)), pending.get(&**key))?;
            Ok(value.map(|(_, value)| value))
        };
        keys.iter().map(value).collect()
    }

    /// Returns all keys with their values at a snapshot, bucket by bucket, and within a bucket in
    /// the order of their bytes.
    ///
    /// Holds one batch of values in memory, and the updates of one bucket that the observer has not
    /// combined yet.
    ///
    /// # Errors
    ///
    /// The stream ends after its first error. The errors are the same as for [`get`](Self::get).
    pub fn iter<'a>(&'a self, snapshot: &'a Snapshot) -> BoxStream<'a, Result<(K, V)>> {
        let buckets = stream::iter(0..self.stored.buckets.count());
        let values =
            buckets.then(move |bucket| self.bucket(snapshot, bucket)).try_flatten().boxed();
        try_unfold(values, |mut values| async move {
            Ok(values.try_next().await?.map(|value| (value, values)))
        })
        .boxed()
    }

    async fn bucket<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        bucket: u32,
    ) -> Result<impl Stream<Item = Result<(K, V)>> + 'a> {
        let queue = &self.stored;
        let updates = Scan::over(Span::prefix(queue.bucket_row(bucket)));
        let mut pending = self.pending(snapshot, updates).await?;
        let current = snapshot.scan_prefix(bucket_of_values(queue, bucket), [&CURRENT]);
        let batches = current.map_ok(Some).chain(stream::iter([Ok(None)]));
        let merged = batches.map_ok(move |batch| stream::iter(self.merge(batch, &mut pending)));
        Ok(merged.try_flatten())
    }

    /// Returns the values of a batch of cells and those of the pending updates of keys before them;
    /// at the end of the bucket, those of all other updates.
    fn merge(&self, batch: Option<Vec<Cell>>, pending: &mut Pending) -> Vec<Result<(K, V)>> {
        let is_end = batch.is_none();
        let mut values = Vec::new();
        for cell in batch.into_iter().flatten() {
            let Some(key) = key_of_value(&self.stored, &cell.key.row) else {
                continue;
            };
            while let Some(before) = pending.first_entry().filter(|group| **group.key() < *key) {
                let group = before.remove();
                values.extend(self.value(&group.key, None, Some(&group)).transpose());
            }
            let group = pending.remove(key);
            values.extend(self.value(key, Some(&cell.value), group.as_ref()).transpose());
        }
        if is_end {
            let rest = std::mem::take(pending).into_values();
            values.extend(
                rest.filter_map(|group| self.value(&group.key, None, Some(&group)).transpose()),
            );
        }
        values
    }

    async fn pending(&self, snapshot: &Snapshot, scan: Scan) -> Result<Pending> {
        let mut updates = self.stored.entries(snapshot, scan);
        let mut pending = Pending::new();
        while let Some(update) = updates.try_next().await? {
            let key = update.key.clone();
            let group = pending.entry(key.clone()).or_insert(Group { key, updates: Vec::new() });
            group.updates.push(update);
        }
        Ok(pending)
    }

    fn value(
        &self,
        key: &[u8],
        current: Option<&Bytes>,
        pending: Option<&Group>,
    ) -> Result<Option<(K, V)>> {
        let read = || -> Result<Option<(K, V)>, ObserverError> {
            let Some(group) = pending else {
                let Some(current) = current else { return Ok(None) };
                let value = self.values.decode(current)?;
                return Ok(Some((self.keys.decode(key)?, value)));
            };
            let tried = self.try_combine(group, current);
            if let Some((_, error)) = tried.damaged.into_iter().next() {
                return Err(error);
            }
            let combined = tried.combined.transpose()?;
            Ok(combined.and_then(|(change, _)| Some((change.key, change.new?))))
        };
        read().map_err(|error| {
            let (queue, key) = (&self.stored, Escaped(key));
            let message = format!("{queue}: the value of the key `{key}` cannot be read: {error}");
            Error::with_source(ErrorKind::Corrupt, message, error)
        })
    }
}
