//! A pass over a bucket in a transaction: it reads updates, and replaces values.

use std::collections::BTreeMap;
use std::mem;

use fluo_engine::{Bytes, Result, RowColumn, Transaction};
use fluo_table::Scan;
use futures::TryStreamExt;

use super::layout::{CURRENT, updates_from, updates_of, value_row};
use super::pass::{Group, Pass};
use super::queue::{Combined, Tried};
use super::{Change, CombineQueue};
use crate::queue::End;
use crate::telemetry::{self, PROCESSED};

/// The number of keys whose current values are read at once, at first.
const FIRST_KEYS_AT_ONCE: usize = 64;
/// The largest number of keys whose current values are read at once.
const MAX_KEYS_AT_ONCE: usize = 256;
/// The number of bytes of current values above which fewer are read at once.
const LARGE_VALUES: usize = 1 << 20;

pub(super) struct Bucket<'a, K, V> {
    queue: &'a CombineQueue<K, V>,
    tx: &'a Transaction,
    row: &'a Bytes,
    /// The changes, by the bytes of their keys. `None` if no observer wants them.
    changes: Option<BTreeMap<Bytes, Change<K, V>>>,
    keys_at_once: usize,
    /// The room in the transaction at which the pass stops.
    least_room: usize,
    /// The number of updates that were combined or became dead letters.
    processed: usize,
    /// The smallest key whose updates were read and not combined, because there was no room.
    left: Option<Bytes>,
}

impl<'a, K: Send + 'static, V: Send + 'static> Bucket<'a, K, V> {
    pub(super) fn new(queue: &'a CombineQueue<K, V>, tx: &'a Transaction, row: &'a Bytes) -> Self {
        Self {
            queue,
            tx,
            row,
            changes: queue.role.changes.is_some().then(BTreeMap::new),
            keys_at_once: FIRST_KEYS_AT_ONCE,
            least_room: tx.remaining_bytes() / 2,
            processed: 0,
            left: None,
        }
    }

    /// Combines updates from the position of the bucket on, and sets the position at which the next
    /// pass begins. Returns the changes, if an observer wants them.
    pub(super) async fn pass(mut self) -> Result<Vec<Change<K, V>>> {
        let requeues = self.queue.role.combiner.is_order_free();
        // The deletions of the updates that are read must have room in the transaction.
        let most_bytes = self.queue.stored.buffer_bytes;
        let mut pass = Pass::new(most_bytes.min(self.least_room / 4), requeues);
        let next = self.queue.stored.next_column();
        let before = self.tx.get(self.row.clone(), next).await?;
        self.read(&mut pass, before.as_deref()).await?;
        let end = pass.end();
        self.apply(end.complete).await?;
        if requeues {
            self.requeue(end.partial).await?;
        } else {
            self.apply(end.partial).await?;
        }
        telemetry::count(PROCESSED, &self.queue.stored.id, self.processed);
        let position = self.left.take().or(end.next);
        let end = End::new(before.is_some(), position, false);
        end.write(self.tx, &self.queue.stored, self.row.clone())?;
        Ok(self.changes.unwrap_or_default().into_values().collect())
    }

    /// Reads updates until the pass is full, and applies those of complete keys.
    async fn read(&mut self, pass: &mut Pass, next: Option<&[u8]>) -> Result<()> {
        let queue = &self.queue.stored;
        let scan = Scan::over(updates_from(queue, self.row, next));
        let mut updates = queue.entries(self.tx, scan);
        while let Some(update) = updates.try_next().await? {
            if !pass.offer(update) {
                break;
            }
            if pass.closed.len() >= self.keys_at_once {
                self.apply(mem::take(&mut pass.closed)).await?;
                if self.left.is_some() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Combines the updates of keys with their current values, as long as there is room.
    async fn apply(&mut self, groups: Vec<Group>) -> Result<()> {
        let mut groups = groups.into_iter();
        while self.left.is_none() {
            let chunk: Vec<Group> = groups.by_ref().take(self.keys_at_once).collect();
            if chunk.is_empty() {
                return Ok(());
            }
            let queue = &self.queue.stored;
            let cell = |group: &Group| RowColumn::new(value_row(queue, &group.key), CURRENT);
            let cells: Vec<RowColumn> = chunk.iter().map(cell).collect();
            let current = self.tx.get_many(cells.iter().cloned()).await?;
            for (group, cell) in chunk.iter().zip(cells) {
                if self.has_room() {
                    self.replace(group, current.get(&cell), cell.row)?;
                } else {
                    self.leave(group);
                }
            }
            let bytes: usize = current.values().map(Bytes::len).sum();
            self.keys_at_once = if bytes > LARGE_VALUES {
                self.keys_at_once.div_ceil(2)
            } else {
                MAX_KEYS_AT_ONCE.min(self.keys_at_once * 2)
            };
        }
        groups.for_each(|group| self.leave(&group));
        Ok(())
    }

    /// Replaces the current value of a key, if its bytes change.
    fn replace(&mut self, group: &Group, old: Option<&Bytes>, row: Bytes) -> Result<()> {
        let tried = self.queue.try_combine(group, old);
        let Some((change, new)) = self.take(group, tried)? else {
            return Ok(());
        };
        if old == new.as_ref() {
            return Ok(());
        }
        if let Some(changes) = &mut self.changes {
            changes.insert(group.key.clone(), change);
        }
        match new {
            Some(new) => self.tx.set(row, &CURRENT, new),
            None => self.tx.delete(row, &CURRENT),
        }
    }

    /// Combines some updates of each key into one, with the sequence of this transaction. Updates
    /// that do not combine without the current value, such as a part of a sum that its type cannot
    /// hold, are applied together with the other updates of their key.
    async fn requeue(&mut self, partial: Vec<Group>) -> Result<()> {
        if self.left.is_some() {
            partial.iter().for_each(|group| self.leave(group));
            return Ok(());
        }
        let queue = &self.queue.stored;
        let mut completed = Vec::new();
        for group in partial {
            let tried = self.queue.try_combine(&group, None);
            if matches!(tried.combined, Some(Err(_))) {
                completed.push(self.complete(group).await?);
            } else if let Some((_, Some(sum))) = self.take(&group, tried)? {
                let row = queue.entry_row(&group.key, self.tx.start());
                self.tx.set(row, queue.entry_column(), sum)?;
            }
        }
        self.apply(completed).await
    }

    /// Reads further updates of a key, as many as have room in the transaction.
    async fn complete(&mut self, mut group: Group) -> Result<Group> {
        let queue = &self.queue.stored;
        let last = group.updates.last().map(|update| update.row.clone());
        let scan = Scan::over(updates_of(queue, &group.key));
        let mut updates = queue.entries(self.tx, scan);
        let mut room = self.least_room / 4;
        while let Some(update) = updates.try_next().await? {
            if update.key != group.key || Some(&update.row) <= last.as_ref() {
                continue;
            }
            let bytes = update.row.len() + update.value.len();
            let Some(rest) = room.checked_sub(bytes) else {
                break;
            };
            room = rest;
            group.updates.push(update);
        }
        Ok(group)
    }

    /// Deletes the updates of a key that were combined. Returns the change and the bytes of the new
    /// value, or `None` if all updates became dead letters: those that cannot be decoded, and all
    /// others if they cannot be combined.
    fn take(&mut self, group: &Group, tried: Tried<'_, K, V>) -> Result<Option<Combined<K, V>>> {
        self.processed += group.updates.len();
        let queue = &self.queue.stored;
        for update in &group.updates {
            self.tx.delete(update.row.clone(), queue.entry_column())?;
        }
        for (update, error) in &tried.damaged {
            queue.bury(self.tx, update, error)?;
        }
        if let Some(Err(error)) = &tried.combined {
            let mut updates = tried.updates.into_iter();
            updates.try_for_each(|update| queue.bury(self.tx, update, error))?;
        }
        Ok(tried.combined.and_then(Result::ok))
    }

    /// Leaves the updates of a key to the next pass, which begins at the smallest of such keys.
    fn leave(&mut self, group: &Group) {
        if self.left.as_ref().is_none_or(|left| group.key < *left) {
            self.left = Some(group.key.clone());
        }
    }

    /// Returns `true` if the transaction has room for the value of another key. The first key of a
    /// pass always has, so each pass makes progress.
    fn has_room(&self) -> bool {
        self.left.is_none() && (self.processed == 0 || self.tx.remaining_bytes() > self.least_room)
    }
}
