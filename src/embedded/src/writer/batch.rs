//! The calls of one commit, applied to one transaction.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use fluo_table::{
    Authorizations, Bytes, Change, ConditionalMutation, Error, KeyRef, Mutation, Versions,
};
use redb::{Table, WriteTransaction};

use super::request::{Applied, TableRef, Write};
use crate::catalog;
use crate::condition::Reader;
use crate::error::Failure;
use crate::key;
use crate::schema::{CellsDefinition, META, PROPERTIES, TABLETS, cells_name, meta};
use crate::tablets::{self, CountChanges};

/// The versions of tables that the writer caches between commits. Cleared by every change except
/// writes of rows.
pub(super) type Facts = HashMap<u64, Versions>;

/// A transaction with the tables to which its calls have written.
pub(super) struct Batch<'t> {
    transaction: &'t WriteTransaction,
    tables: HashMap<u64, OpenTable<'t>>,
    records: Table<'t, &'static [u8], u64>,
    counts: CountChanges,
    now_ms: i64,
    assigned_time: bool,
    has_changes: bool,
    key: Vec<u8>,
}

struct OpenTable<'t> {
    id: u64,
    cells: Table<'t, &'static [u8], &'static [u8]>,
    versions: Versions,
}

impl<'t> Batch<'t> {
    pub(super) fn new(transaction: &'t WriteTransaction, now_ms: i64) -> Result<Self, Failure> {
        Ok(Self {
            transaction,
            tables: HashMap::new(),
            records: transaction.open_table(TABLETS)?,
            counts: CountChanges::default(),
            now_ms,
            assigned_time: false,
            has_changes: false,
            key: Vec::new(),
        })
    }

    /// Applies a call. The outer error ends the batch; the inner one is the result of the call.
    pub(super) fn apply(&mut self, write: &Write, facts: &mut Facts) -> Result<Applied, Failure> {
        if !self.open(&write.table, facts)? {
            return Ok(Err(Error::no_such_table(&write.table.name)));
        }
        let together = match write.mutations.len() {
            all if write.is_atomic => all,
            _ => 1,
        };
        let units = write.mutations.chunks(together.max(1));
        let accepted = units.map(|unit| self.put_if(write.table.id, unit, &write.authorizations));
        accepted.collect::<Result<_, _>>().map(Ok)
    }

    /// Stores mutations if the conditions of all of them hold, and returns whether they did (T9,
    /// T16).
    fn put_if(
        &mut self,
        table_id: u64,
        mutations: &[ConditionalMutation],
        authorizations: &Authorizations,
    ) -> Result<bool, Failure> {
        for conditional in mutations {
            let (row, conditions) = (&conditional.mutation.row, &conditional.conditions);
            if !self.all_hold(table_id, row, conditions, authorizations)? {
                return Ok(false);
            }
        }
        for conditional in mutations {
            self.put(table_id, &conditional.mutation)?;
        }
        Ok(true)
    }

    /// Checks whether an update received the time of this batch.
    pub(super) fn has_assigned_time(&self) -> bool {
        self.assigned_time
    }

    /// Writes the gathered changes, and returns whether there is anything to commit.
    pub(super) fn finish(mut self) -> Result<bool, Failure> {
        self.counts.apply(&mut self.records)?;
        if self.assigned_time {
            let mut numbers = self.transaction.open_table(META)?;
            numbers.insert(meta::LAST_TIME_MS, self.now_ms.cast_unsigned())?;
        }
        Ok(self.has_changes)
    }

    /// Opens the table of a call; returns false if it was deleted.
    fn open(&mut self, table: &TableRef, facts: &mut Facts) -> Result<bool, Failure> {
        let Entry::Vacant(vacant) = self.tables.entry(table.id) else {
            return Ok(true);
        };
        let versions = match facts.get(&table.id) {
            Some(versions) => *versions,
            None if !tablets::exist(&self.records, table.id)? => return Ok(false),
            None => {
                let properties = self.transaction.open_table(PROPERTIES)?;
                let properties = catalog::properties(&properties, table.id)?;
                let versions = Versions::for_scan(&properties);
                facts.insert(table.id, versions);
                versions
            }
        };
        let name = cells_name(table.id);
        vacant.insert(OpenTable {
            id: table.id,
            cells: self.transaction.open_table(CellsDefinition::new(&name))?,
            versions,
        });
        Ok(true)
    }

    fn all_hold(
        &self,
        table_id: u64,
        row: &Bytes,
        conditions: &[fluo_table::Condition],
        authorizations: &Authorizations,
    ) -> Result<bool, Failure> {
        let table = self.tables.get(&table_id).expect("the table of a call is open");
        let reader = Reader { versions: table.versions, authorizations };
        for condition in conditions {
            if !reader.holds(&table.cells, row, condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores the updates of a mutation in their order (T4, T6, T7).
    fn put(&mut self, table_id: u64, mutation: &Mutation) -> Result<(), Failure> {
        let table = self.tables.get_mut(&table_id).expect("the table of a call is open");
        let mut added = 0;
        for update in &mutation.updates {
            self.assigned_time |= update.timestamp.is_none();
            let timestamp = update.timestamp.unwrap_or(self.now_ms);
            let key = KeyRef::new(&mutation.row, &update.column, timestamp);
            let (is_delete, value) = match &update.change {
                Change::Put(value) => (false, value.as_ref()),
                Change::Delete => (true, &[][..]),
            };
            self.key.clear();
            key::push_key(&mut self.key, key, is_delete);
            let replaced = table.cells.insert(self.key.as_slice(), value)?;
            added += i64::from(replaced.is_none());
        }
        self.has_changes = true;
        if added != 0 {
            let tablet = tablets::key_of_row(&self.records, table.id, &mutation.row)?;
            self.counts.add(tablet, added);
        }
        Ok(())
    }
}
