//! The options of a load, and the keys of its rows.

use std::num::NonZeroUsize;

use fluo_table::Mutation;

use super::row::Row;
use crate::error::RecipeError;
use crate::key_design::KeyDesign;
use crate::key_migration::KeyMigration;

/// Number of rows in a write.
const BATCH_ROWS: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();
/// Number of concurrent writes. It keeps the table busy while rows are read, and bounds memory.
const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(4).unwrap();
/// Number of remembered keys: the capacity of a hash table with 8 Mi slots, which takes 75 MB.
const REMEMBERED_KEYS: usize = (8 << 20) / 8 * 7;
/// Number of rows that are named of each kind.
const NAMED_ROWS: usize = 10;

/// The options of a load.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) keys: Keys,
    pub(super) insert_only: bool,
    pub(super) batch_rows: NonZeroUsize,
    pub(super) concurrency: NonZeroUsize,
    pub(super) remembered_keys: usize,
    pub(super) named_rows: usize,
}

/// The keys of rows.
#[derive(Debug)]
pub(super) enum Keys {
    Design(KeyDesign),
    Migration(KeyMigration),
}

impl Settings {
    pub(super) fn new(keys: Keys) -> Self {
        Self {
            keys,
            insert_only: false,
            batch_rows: BATCH_ROWS,
            concurrency: CONCURRENCY,
            remembered_keys: REMEMBERED_KEYS,
            named_rows: NAMED_ROWS,
        }
    }

    /// Returns a row with its keys.
    pub(super) fn row(&self, number: u64, mutation: Mutation) -> Result<Row, RecipeError> {
        let Mutation { row, updates } = mutation;
        let key = match &self.keys {
            Keys::Design(design) => design.encode_row(&row)?,
            Keys::Migration(migration) => migration.key(&row)?,
        };
        let old_keys = match &self.keys {
            Keys::Migration(migration) if self.insert_only => migration.old_keys(&row)?,
            _ => Vec::new(),
        };
        Ok(Row {
            number,
            row,
            old_keys,
            mutation: Mutation { row: key, updates },
        })
    }
}
