//! Reads of the values of a combine queue, with the updates that are not combined yet.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use fluo_engine::{Bytes, Error, ErrorKind, ObserverError, Result, RowColumn, Snapshot};
use fluo_table::{Escaped, Scan, Span};
use futures::stream::{BoxStream, StreamExt, TryStreamExt, try_unfold};

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
        let values = self.get_many(snapshot, [key]).await?;
        Ok(values.into_iter().next().flatten())
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
            keys.into_iter().map(|key| self.queue.encode_key(&key.into())).collect();
        let keys = keys?;
        let spans = keys.iter().map(|key| updates_of(self.definition(), key));
        let pending = self.pending(snapshot, Scan::over_all(spans)).await?;
        let cell = |key: &Vec<u8>| RowColumn::new(value_row(self.definition(), key), CURRENT);
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
    /// Holds the updates of one bucket that the observer has not combined yet, and one batch of
    /// values, in memory.
    ///
    /// # Errors
    ///
    /// The stream ends after its first error. The errors are the same as for [`get`](Self::get).
    pub fn iter<'a>(&'a self, snapshot: &'a Snapshot) -> BoxStream<'a, Result<(K, V)>> {
        let buckets = futures::stream::iter(0..self.definition().options.buckets.count());
        buckets.then(move |bucket| self.bucket(snapshot, bucket)).try_flatten().boxed()
    }

    async fn bucket<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        bucket: u32,
    ) -> Result<BoxStream<'a, Result<(K, V)>>> {
        let updates = Span::prefix(self.definition().bucket_row(bucket));
        let values = bucket_of_values(self.definition(), bucket);
        let reading = Reading {
            queue: self,
            pending: self.pending(snapshot, Scan::over(updates)).await?,
            current: snapshot.scan_prefix(values, [&CURRENT]),
            read: VecDeque::new(),
            is_at_end: false,
        };
        Ok(try_unfold(reading, |mut reading| async move {
            Ok(reading.next().await?.map(|next| (next, reading)))
        })
        .boxed())
    }

    /// Reads updates and groups them by their keys.
    async fn pending(&self, snapshot: &Snapshot, scan: Scan) -> Result<Pending> {
        let queue = self.definition();
        let mut updates = queue.entries(snapshot.scan(queue.select_entries(scan)));
        let mut pending = Pending::new();
        while let Some(update) = updates.try_next().await? {
            match pending.entry(update.key.clone()) {
                Entry::Occupied(mut group) => group.get_mut().updates.push(update),
                Entry::Vacant(key) => _ = key.insert(Group::new(update)),
            }
        }
        Ok(pending)
    }

    /// Combines the current value of a key and its updates.
    fn value(
        &self,
        key: &[u8],
        current: Option<&Bytes>,
        pending: Option<&Group>,
    ) -> Result<Option<(K, V)>> {
        let damaged = |error: ObserverError| {
            let (id, key) = (self.id(), Escaped(key));
            let message = format!(
                "combine queue `{id}`: the value of the key `{key}` cannot be read: {error}"
            );
            Error::with_source(ErrorKind::Corrupt, message, error)
        };
        let value = match (pending, current) {
            (None, None) => None,
            (None, Some(current)) => {
                let decoded = self.queue.keys.decode(key);
                let decoded = decoded.map_err(|error| damaged(error.into()))?;
                let value = self.queue.values.decode(current);
                Some((decoded, value.map_err(|error| damaged(error.into()))?))
            }
            (Some(pending), current) => {
                let updates = self.decode_updates(pending);
                if let Some((_, error)) = updates.damaged.into_iter().next() {
                    return Err(damaged(error));
                }
                let (change, _) =
                    self.combine(&pending.key, updates.values, current).map_err(damaged)?;
                change.new.map(|new| (change.key, new))
            }
        };
        Ok(value)
    }
}

/// The reading of one bucket: its current values, merged with its updates.
struct Reading<'a, K, V> {
    queue: &'a CombineQueue<K, V>,
    pending: Pending,
    current: fluo_table::CellBatches,
    read: VecDeque<(Bytes, Bytes)>,
    is_at_end: bool,
}

impl<K: Send + 'static, V: Send + 'static> Reading<'_, K, V> {
    async fn next(&mut self) -> Result<Option<(K, V)>> {
        loop {
            self.fill().await?;
            let pending = self.pending.first_key_value().map(|(key, _)| key.clone());
            let (key, current) = match (self.read.front(), pending) {
                (None, None) => return Ok(None),
                (Some((key, _)), Some(pending)) if pending < *key => (pending, None),
                (None, Some(pending)) => (pending, None),
                (Some(_), _) => match self.read.pop_front() {
                    Some((key, current)) => (key, Some(current)),
                    None => return Ok(None),
                },
            };
            let updates = self.pending.remove(&key);
            let value = self.queue.value(&key, current.as_ref(), updates.as_ref())?;
            if value.is_some() {
                return Ok(value);
            }
        }
    }

    /// Reads the next batch of current values, if none is left.
    async fn fill(&mut self) -> Result<()> {
        while self.read.is_empty() && !self.is_at_end {
            let Some(cells) = self.current.try_next().await? else {
                self.is_at_end = true;
                break;
            };
            for cell in cells {
                let row = cell.key.row;
                if let Some(key) = key_of_value(self.queue.definition(), &row) {
                    self.read.push_back((row.slice_ref(key), cell.value));
                }
            }
        }
        Ok(())
    }
}
