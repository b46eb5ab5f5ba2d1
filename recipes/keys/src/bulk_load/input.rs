//! The rows of a load, with their keys, in batches.

use std::collections::HashSet;
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::pin::Pin;

use fluo_table::{Bytes, Mutation};
use futures_util::{Stream, StreamExt};

use super::report::{BulkLoadCause, Failure, RepeatedKeys};
use crate::error::RecipeError;
use crate::key_migration::KeyMigration;

/// Maximum number of bytes in a batch, except for a single larger row.
const BATCH_BYTES: usize = 1 << 20;
/// Number of remembered keys: the capacity of a hash table with 8 Mi slots, which takes 75 MB.
const REMEMBERED_KEYS: usize = (8 << 20) / 8 * 7;

#[derive(Debug)]
pub(super) struct Settings {
    /// The designs in which rows may exist; they are written by the newest.
    pub(super) epochs: KeyMigration,
    pub(super) insert_only: bool,
    pub(super) batch_rows: NonZeroUsize,
    pub(super) concurrency: NonZeroUsize,
    pub(super) named_rows: usize,
}

#[derive(Debug)]
pub(super) struct Row {
    /// Its number, from 1.
    pub(super) number: u64,
    pub(super) row: Bytes,
    /// The earlier keys under which it may exist, oldest first. Empty unless the load is
    /// insert-only.
    pub(super) old_keys: Vec<Bytes>,
    pub(super) mutation: Mutation,
}

impl Settings {
    fn row(&self, number: u64, mutation: Mutation) -> Result<Row, RecipeError> {
        let Mutation { row, updates } = mutation;
        let mutation = Mutation { row: self.epochs.key(&row)?, updates };
        let old_keys = if self.insert_only { self.epochs.old_keys(&row)? } else { Vec::new() };
        Ok(Row { number, row, old_keys, mutation })
    }
}

pub(super) struct Input<'a, S> {
    rows: Pin<&'a mut S>,
    settings: &'a Settings,
    read: u64,
    batch: Vec<Row>,
    batch_bytes: usize,
    /// Maximum number of rows in the batch. The first row is written alone (B2).
    most_rows: usize,
    pub(super) seen: SeenKeys,
    pub(super) failure: Option<Failure>,
}

impl<'a, S, E> Input<'a, S>
where
    S: Stream<Item = Result<Mutation, E>>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    pub(super) fn new(rows: Pin<&'a mut S>, settings: &'a Settings) -> Self {
        Self {
            rows,
            settings,
            read: 0,
            batch: Vec::new(),
            batch_bytes: 0,
            most_rows: 1,
            seen: SeenKeys::default(),
            failure: None,
        }
    }

    /// Returns the next batch, or `None` at the end of the input or after a failure. Dropping the
    /// future loses no row.
    pub(super) async fn next_batch(&mut self) -> Option<Vec<Row>> {
        while self.failure.is_none()
            && self.batch.len() < self.most_rows
            && self.batch_bytes < BATCH_BYTES
        {
            let Some(row) = self.rows.next().await else {
                break;
            };
            let number = self.read + 1;
            let row = row.map_err(|error| BulkLoadCause::Input(error.into()));
            match row.and_then(|mutation| Ok(self.settings.row(number, mutation)?)) {
                Ok(row) => self.add(row),
                Err(cause) => self.failure = Some(Failure { rows: number..=number, cause }),
            }
        }
        (self.batch_bytes, self.most_rows) = (0, self.settings.batch_rows.get());
        let batch = std::mem::take(&mut self.batch);
        (!batch.is_empty()).then_some(batch)
    }

    fn add(&mut self, row: Row) {
        self.read = row.number;
        self.batch_bytes += row.mutation.size_bytes();
        if !self.settings.insert_only {
            self.seen.add(&row.mutation.row, REMEMBERED_KEYS);
        }
        self.batch.push(row);
    }
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
