//! The calls of one commit, applied to one transaction.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use fluo_table::{
    Authorizations, Bytes, Change, ConditionalMutation, Error, KeyRef, Mutation, Versions,
};

use super::request::{Applied, TableRef, Write};
use crate::catalog;
use crate::condition::Reader;
use crate::engine::{Cells, Read, Transaction};
use crate::error::Failure;
use crate::key;
use crate::tablets::{CountChanges, EndRows};

/// The tables that the writer caches between commits. Cleared by every change of a table except
/// writes of rows.
pub(super) type Facts = HashMap<u64, Table>;

#[derive(Debug)]
pub(super) struct Table {
    cells: Cells,
    versions: Versions,
    ends: EndRows,
}

/// Times from here on are not those of a clock: the entries of transactions have them, or negative
/// ones.
const MAX_TIME_MS: i64 = 1 << 61;

/// The highest timestamps of all entries that were ever stored in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaxTimes {
    /// The highest that the directory has assigned, in milliseconds since 1970.
    pub(crate) assigned_ms: i64,
    /// The highest below 2^61 that a write brought.
    pub(crate) explicit: i64,
}

impl MaxTimes {
    /// Checks whether a stored entry can have a timestamp.
    pub(crate) fn cover(self, timestamp: i64) -> bool {
        timestamp >= MAX_TIME_MS || timestamp <= self.assigned_ms.max(self.explicit)
    }
}

/// A transaction, and what its calls change beside the rows.
pub(super) struct Batch<'b, 'e> {
    transaction: &'b mut Transaction<'e>,
    tables: &'b mut Facts,
    counts: CountChanges,
    now_ms: i64,
    /// The times before this batch, and with it.
    before: MaxTimes,
    times: MaxTimes,
    /// The keys of this batch whose timestamps were new, with the ids of their tables.
    new_keys: HashSet<(u64, Vec<u8>)>,
    has_changes: bool,
    key: Vec<u8>,
}

impl<'b, 'e> Batch<'b, 'e> {
    pub(super) fn new(
        transaction: &'b mut Transaction<'e>,
        tables: &'b mut Facts,
        now_ms: i64,
        times: MaxTimes,
    ) -> Self {
        Self {
            transaction,
            tables,
            counts: CountChanges::default(),
            now_ms,
            before: times,
            times,
            new_keys: HashSet::new(),
            has_changes: false,
            key: Vec::new(),
        }
    }

    /// Applies a call. The outer error ends the batch; the inner one is the result of the call.
    pub(super) fn apply(&mut self, write: &Write) -> Result<Applied, Failure> {
        if !self.open(&write.table)? {
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

    /// Writes the gathered changes. Returns the times with this batch, and whether there is
    /// anything to commit.
    pub(super) fn finish(self) -> Result<(MaxTimes, bool), Failure> {
        let Self { transaction, before, times, .. } = self;
        self.counts.apply(transaction)?;
        if times.assigned_ms != before.assigned_ms {
            let assigned_ms = times.assigned_ms.cast_unsigned();
            catalog::put_number(transaction, catalog::LAST_TIME_MS, assigned_ms)?;
        }
        if times.explicit != before.explicit {
            let explicit = times.explicit.cast_unsigned();
            catalog::put_number(transaction, catalog::MAX_EXPLICIT, explicit)?;
        }
        Ok((times, self.has_changes))
    }

    /// Opens the table of a call; returns false if it was deleted.
    fn open(&mut self, table: &TableRef) -> Result<bool, Failure> {
        let Entry::Vacant(vacant) = self.tables.entry(table.id) else {
            return Ok(true);
        };
        let Some(cells) = self.transaction.maps().cells(table.id) else {
            return Ok(false);
        };
        let properties = catalog::properties(self.transaction, table.id)?;
        let versions = Versions::for_scan(&properties);
        let ends = EndRows::all(self.transaction, table.id)?;
        vacant.insert(Table { cells, versions, ends });
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
            if !reader.holds(self.transaction, &table.cells, row, condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores the updates of a mutation in their order (T4, T6, T7).
    fn put(&mut self, table_id: u64, mutation: &Mutation) -> Result<(), Failure> {
        let mut added = 0;
        for update in &mutation.updates {
            let timestamp = update.timestamp.unwrap_or(self.now_ms);
            let key = KeyRef::new(&mutation.row, &update.column, timestamp);
            let (is_delete, value) = match &update.change {
                Change::Put(value) => (false, value.as_ref()),
                Change::Delete => (true, &[][..]),
            };
            self.key.clear();
            key::push_key(&mut self.key, key, is_delete);
            let may_exist = self.may_exist(update.timestamp);
            let table = self.tables.get(&table_id).expect("the table of a call is open");
            let map = table.cells.for_family(&update.column.family);
            let is_added = match may_exist {
                true => !self.transaction.contains(map, &self.key)?,
                false => self.new_keys.insert((table_id, self.key.clone())),
            };
            added += i64::from(is_added);
            self.transaction.insert(map, &self.key, value)?;
        }
        self.has_changes = true;
        if added != 0 {
            let table = self.tables.get(&table_id).expect("the table of a call is open");
            self.counts.add(table.ends.key_of_row(table_id, &mutation.row), added);
        }
        Ok(())
    }

    /// Records the time of an update. Returns whether an entry of an earlier batch, or one of this
    /// batch that is not in `new_keys`, can have it.
    ///
    /// A search for every key took a third of the writer's time.
    fn may_exist(&mut self, explicit: Option<i64>) -> bool {
        let Some(timestamp) = explicit else {
            self.times.assigned_ms = self.now_ms;
            let latest = self.before.assigned_ms.max(self.times.explicit);
            return self.now_ms <= latest || self.now_ms >= MAX_TIME_MS;
        };
        if timestamp < MAX_TIME_MS {
            self.times.explicit = self.times.explicit.max(timestamp);
        }
        true
    }
}
