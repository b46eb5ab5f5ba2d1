//! The rows of a load with their keys, gathered, sorted and cut into batches.

use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::vec;

use fluo_table::{Bytes, Change, Mutation, Table, Update};
use futures_util::{Stream, StreamExt};

use super::report::{BulkLoadCause, Failure, RepeatedKeys};
use crate::key_migration::KeyMigration;
use crate::number::count;

/// Maximum number of bytes in a batch, except for a single larger row.
const BATCH_BYTES: usize = 1 << 20;
/// Number of remembered keys: the capacity of a hash table with 8 Mi slots, which takes 75 MB.
const REMEMBERED_KEYS: usize = (8 << 20) / 8 * 7;

#[derive(Debug)]
pub(super) struct Settings {
    /// The designs in which rows may exist; they are written by the newest.
    pub(super) epochs: KeyMigration,
    pub(super) insert_only: bool,
    pub(super) max_memory_bytes: NonZeroUsize,
    pub(super) batch_rows: NonZeroUsize,
    pub(super) concurrency: NonZeroUsize,
    pub(super) named_rows: usize,
}

#[derive(Debug)]
pub(super) struct Row {
    /// Its number in the input.
    pub(super) number: u64,
    pub(super) row: Bytes,
    /// The earlier keys under which it may exist, oldest first. Empty unless the load is
    /// insert-only.
    pub(super) old_keys: Vec<Bytes>,
    pub(super) mutation: Mutation,
}

impl Settings {
    /// Returns a row with its key, if the table would accept it.
    fn row(
        &self,
        table: &dyn Table,
        number: u64,
        mutation: Mutation,
    ) -> Result<Row, BulkLoadCause> {
        let Mutation { row, updates } = mutation;
        let mutation = Mutation { row: self.epochs.key(&row)?, updates };
        table.check_mutation(&mutation)?;
        let old_keys = if self.insert_only { self.epochs.old_keys(&row)? } else { Vec::new() };
        Ok(Row { number, row, old_keys, mutation })
    }
}

impl Row {
    /// Returns the number of bytes of the row, its columns and its values.
    pub(super) fn input_bytes(&self) -> u64 {
        let updates = self.mutation.updates.iter();
        let of_update = |update: &Update| match &update.change {
            Change::Put(value) => update.column.size_bytes() + value.len(),
            Change::Delete => update.column.size_bytes(),
        };
        count(self.row.len() + updates.map(of_update).sum::<usize>())
    }

    pub(super) fn cells(&self) -> u64 {
        count(self.mutation.updates.len())
    }

    /// Estimates the bytes that the row takes in memory, in a vector that may have twice the room.
    fn memory_bytes(&self) -> usize {
        let updates = self.mutation.updates.capacity() * size_of::<Update>();
        let old_keys: usize = self.old_keys.iter().map(|key| size_of::<Bytes>() + key.len()).sum();
        2 * size_of::<Self>() + updates + old_keys + self.row.len() + self.mutation.size_bytes()
    }
}

/// While sorted rows are written, the next ones are gathered. Each half takes half of the memory.
pub(super) struct Input<'a, S> {
    rows: Pin<&'a mut S>,
    table: &'a dyn Table,
    settings: &'a Settings,
    /// The number of rows that were read, and their bytes.
    read: u64,
    pub(super) read_bytes: u64,
    is_over: bool,
    gathered: Vec<Row>,
    gathered_bytes: usize,
    /// Parts of the sorted rows. Batches are taken from each part in turn, so that concurrent
    /// writes go to different tablets.
    parts: VecDeque<vec::IntoIter<Row>>,
    /// `true` if the first row of the first part has the key of the last row of the last batch.
    is_within_a_key: bool,
    pub(super) seen: SeenKeys,
    pub(super) failure: Option<Failure>,
}

impl<'a, S, E> Input<'a, S>
where
    S: Stream<Item = (u64, Result<Mutation, E>)>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    pub(super) fn new(rows: Pin<&'a mut S>, table: &'a dyn Table, settings: &'a Settings) -> Self {
        Self {
            rows,
            table,
            settings,
            read: 0,
            read_bytes: 0,
            is_over: false,
            gathered: Vec::new(),
            gathered_bytes: 0,
            parts: VecDeque::new(),
            is_within_a_key: false,
            seen: SeenKeys::default(),
            failure: None,
        }
    }

    /// Checks whether no more rows can be gathered before some are taken: there are enough, or the
    /// input has ended or failed.
    pub(super) fn has_gathered(&self) -> bool {
        // The first row is written alone (B2).
        let is_first = self.read == 1 && !self.gathered.is_empty();
        let is_full = self.gathered_bytes >= self.settings.max_memory_bytes.get() / 2;
        self.is_over || is_first || is_full && !self.gathered.is_empty()
    }

    /// Gathers the rows of a batch, or fewer if it [`has_gathered`](Self::has_gathered) then.
    /// Dropping the future loses no row.
    pub(super) async fn gather(&mut self) {
        for _ in 0..self.settings.batch_rows.get() {
            if self.has_gathered() {
                break;
            }
            let Some((number, row)) = self.rows.next().await else {
                self.is_over = true;
                break;
            };
            let added = match row {
                Ok(mutation) => {
                    let row = self.settings.row(self.table, number, mutation);
                    row.map(|row| self.add(row))
                }
                Err(error) => Err(BulkLoadCause::Input(error.into())),
            };
            if let Err(cause) = added {
                self.failure = Some((number..=number, cause));
                self.is_over = true;
            }
        }
    }

    fn add(&mut self, row: Row) {
        self.read += 1;
        self.read_bytes += row.input_bytes();
        self.gathered_bytes += row.memory_bytes();
        if !self.settings.insert_only {
            self.seen.add(&row.mutation.row, REMEMBERED_KEYS);
        }
        self.gathered.push(row);
    }

    /// Returns the next batch of sorted rows. `None` if more rows must be gathered before, none are
    /// left, or the next ones must wait until no write is in progress, because they may have a key
    /// of the last batch.
    pub(super) fn take_batch(&mut self, is_idle: bool) -> Option<Vec<Row>> {
        if self.is_within_a_key && !is_idle {
            return None;
        }
        if self.parts.is_empty() && self.has_gathered() && is_idle {
            let mut rows = std::mem::take(&mut self.gathered);
            self.gathered_bytes = 0;
            rows.sort_unstable_by(|a, b| {
                (&a.mutation.row, a.number).cmp(&(&b.mutation.row, b.number))
            });
            let part_rows = rows.len().div_ceil(self.settings.concurrency.get());
            let part_rows = part_rows.next_multiple_of(self.settings.batch_rows.get());
            while !rows.is_empty() {
                let part_rows = part_rows.min(rows.len());
                let (part, rest) = rows.split_at(part_rows);
                let repeated =
                    rest.iter().take_while(|row| have_one_key(part.last(), Some(row))).count();
                let rest = rows.split_off(part_rows + repeated);
                self.parts.push_back(std::mem::replace(&mut rows, rest).into_iter());
            }
        }
        let mut part = self.parts.pop_front()?;
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < self.settings.batch_rows.get()
            && bytes < BATCH_BYTES
            && let Some(row) = part.next()
        {
            bytes += row.mutation.size_bytes();
            batch.push(row);
        }
        self.is_within_a_key = have_one_key(batch.last(), part.as_slice().first());
        if self.is_within_a_key {
            self.parts.push_front(part);
        } else if !part.as_slice().is_empty() {
            self.parts.push_back(part);
        }
        Some(batch)
    }
}

/// Checks whether two rows, if they are there, have the same key.
fn have_one_key(last: Option<&Row>, next: Option<&Row>) -> bool {
    last.zip(next).is_some_and(|(last, next)| last.mutation.row == next.mutation.row)
}

#[derive(Debug, Default)]
pub(super) struct SeenKeys {
    hasher: RandomState,
    /// Two of 7 million keys share a hash in one of 700,000 loads.
    hashes: HashSet<u64>,
    pub(super) repeated: RepeatedKeys,
}

impl SeenKeys {
    /// Counts the key of a row, and remembers it if there are not this many.
    fn add(&mut self, key: &[u8], most: usize) {
        let hash = self.hasher.hash_one(key);
        if self.hashes.contains(&hash) {
            self.repeated.rows += 1;
        } else if self.hashes.len() < most {
            self.hashes.insert(hash);
        } else {
            self.repeated.is_lower_bound = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_all_but_the_first_row_of_a_key() {
        for (most, keys, rows, is_lower_bound) in
            [(9, "abaacb", 3, false), (9, "ab", 0, false), (2, "abcca", 1, true)]
        {
            let mut seen = SeenKeys::default();
            keys.bytes().for_each(|key| seen.add(&[key], most));
            let found = (seen.repeated.rows, seen.repeated.is_lower_bound);
            assert_eq!(found, (rows, is_lower_bound), "{most} {keys}");
        }
    }
}
