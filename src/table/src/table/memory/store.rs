//! The content of one table.

use std::collections::{BTreeMap, BTreeSet};

use crate::clock::table_time;
use crate::data::{Authorizations, Bytes, Cell, Key, Span};
use crate::table::{
    Change, Condition, ConditionalMutation, EntryFilter, Garbage, Mutation, Outcome, Scan,
    StoredKey, Versions,
};

/// The number of hidden entries in a row after which a scan seeks to the next entry it needs
/// instead of reading on.
const READ_ON: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) entries: BTreeMap<StoredKey, Bytes>,
    pub(super) splits: BTreeSet<Bytes>,
    pub(super) properties: BTreeMap<String, String>,
    /// True for a deleted table: a handle on it must not reach the next table of the same name.
    pub(super) is_deleted: bool,
    last_time_ms: i64,
}

impl Store {
    pub(super) fn new(versions: Versions) -> Self {
        Self { properties: versions.to_properties(), ..Self::default() }
    }

    pub(super) fn delete(&mut self) {
        *self = Self { is_deleted: true, ..Self::default() };
    }

    /// Returns all cells that a scan shows (T1, T2).
    pub(super) fn scan(&self, scan: &Scan, authorizations: &Authorizations) -> Vec<Cell> {
        let versions = Versions::for_scan(&self.properties);
        let mut cells = Vec::new();
        for span in scan.spans() {
            let mut view = EntryFilter::new(scan, span, versions, Some(authorizations));
            let mut entries = self.stored(&EntryFilter::read_from(scan, span), span.end());
            let mut in_vain = 0;
            while let Some((stored, value)) = entries.next() {
                if view.shows(stored.key.as_ref(), value, !stored.is_put) {
                    cells.push(Cell::new(stored.key.clone(), value.clone()));
                    in_vain = 0;
                    continue;
                }
                in_vain += 1;
                if in_vain == READ_ON {
                    in_vain = 0;
                    if let Some(from) = next_looked_at(&view, &stored.key) {
                        entries = self.stored(&from, span.end());
                    }
                }
            }
        }
        cells
    }

    /// Returns the time of the table for a call.
    pub(super) fn time_at(&self, now_ms: i64) -> i64 {
        table_time(self.last_time_ms, now_ms)
    }

    /// Applies a mutation at the time of the table (T4, T6, T7). The time of the table advances
    /// only when an update uses it.
    pub(super) fn apply(&mut self, mutation: Mutation, now_ms: i64) {
        for update in mutation.updates {
            let timestamp = update.timestamp.unwrap_or_else(|| {
                self.last_time_ms = now_ms;
                now_ms
            });
            let key = Key::new(mutation.row.clone(), update.column, timestamp);
            let (is_put, value) = match update.change {
                Change::Put(value) => (true, value),
                Change::Delete => (false, Bytes::new()),
            };
            self.entries.insert(StoredKey { key, is_put }, value);
        }
    }

    /// Applies mutations if the conditions of all of them hold (T9, T10, T16).
    pub(super) fn apply_together(
        &mut self,
        mutations: Vec<ConditionalMutation>,
        authorizations: &Authorizations,
        now_ms: i64,
    ) -> Outcome {
        let all_hold = mutations.iter().all(|conditional| {
            let row = &conditional.mutation.row;
            let mut conditions = conditional.conditions.iter();
            conditions.all(|condition| self.holds(row, condition, authorizations))
        });
        if !all_hold {
            return Outcome::Rejected;
        }
        for conditional in mutations {
            self.apply(conditional.mutation, now_ms);
        }
        Outcome::Accepted
    }

    /// Drops the entries that no scan can show any more (A8), and garbage of transactions (A11, G1,
    /// G2).
    pub(super) fn compact(&mut self, garbage: Garbage) {
        let versions = Versions::for_compaction(&self.properties);
        let entries: Vec<_> = self.entries.iter().collect();
        let columns = entries
            .chunk_by(|(a, _), (b, _)| (&a.key.row, &a.key.column) == (&b.key.row, &b.key.column));
        let dropped: BTreeSet<_> = columns
            .filter_map(|column| garbage_of_column(garbage, versions, column))
            .flatten()
            .collect();
        let mut view = EntryFilter::new(&Scan::over(Span::all()), &Span::all(), versions, None);
        self.entries.retain(|stored, value| {
            !dropped.contains(stored) && view.shows(stored.key.as_ref(), value, !stored.is_put)
        });
    }

    pub(super) fn count(&self, span: &Span) -> u64 {
        u64::try_from(self.stored(span.start(), span.end()).count()).unwrap_or(u64::MAX)
    }

    fn holds(&self, row: &Bytes, condition: &Condition, authorizations: &Authorizations) -> bool {
        let scan = Scan::over(Span::cell(row.clone(), &condition.column)).filter(condition.filter);
        let cells = self.scan(&scan, authorizations);
        let found = cells
            .iter()
            .find(|cell| condition.timestamp.is_none_or(|wanted| cell.key.timestamp == wanted));
        condition.holds(found.map(|cell| cell.value.as_ref()))
    }

    fn stored<'s>(
        &'s self,
        from: &Key,
        end: Option<&Key>,
    ) -> impl Iterator<Item = (&'s StoredKey, &'s Bytes)> + use<'s> {
        let first = |key: &Key| StoredKey { key: key.clone(), is_put: false };
        let from = first(from);
        // An empty range instead of a panic if the end is before the start.
        let end = end.map(first).map(|end| end.max(from.clone()));
        let end = end.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        self.entries.range((std::ops::Bound::Included(from), end))
    }
}

/// Returns the key at which a scan continues after an entry, or `None` if it continues with the
/// next entry.
fn next_looked_at(view: &EntryFilter, last: &Key) -> Option<Key> {
    let at = |timestamp| Key { timestamp, ..last.clone() };
    match view.looks_next() {
        // No further entry of the column matters.
        None => Some(at(i64::MIN).successor()),
        Some(timestamp) => (timestamp < last.timestamp).then(|| at(timestamp)),
    }
}

/// Returns the garbage of a column, or `None` if it is not one of transactions (G2).
fn garbage_of_column(
    garbage: Garbage,
    versions: Versions,
    column: &[(&StoredKey, &Bytes)],
) -> Option<Vec<StoredKey>> {
    let (first, _) = column.first().filter(|_| column.iter().all(|(stored, _)| stored.is_put))?;
    let mut garbage = garbage.for_column(&first.key.column.family, versions)?;
    for (stored, value) in column {
        garbage.look_at(stored.key.timestamp, value);
    }
    let dropped: BTreeSet<i64> = garbage.finish().into_iter().collect();
    let stored = column.iter().map(|(stored, _)| *stored);
    Some(stored.filter(|stored| dropped.contains(&stored.key.timestamp)).cloned().collect())
}
