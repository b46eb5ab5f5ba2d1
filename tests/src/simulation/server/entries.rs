//! The entries of a table, each in memory or in a file.

use std::collections::BTreeMap;
use std::ops::Bound;

use fluo_core::layout::LooksNext;
use fluo_core::table::{Admission, StoredKey, View};
use fluo_core::{
    Authorizations, Bytes, Cell, Change, Condition, ConditionalMutation, Key, Mutation, Scan, Span,
    Versions,
};

/// The number of the file in which nothing was flushed yet.
pub(super) const MEMORY: u32 = 0;

/// The handling of two entries of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::simulation) enum Copies {
    /// The later one replaces the earlier one.
    #[default]
    Replaced,
    /// Both stay, the later one first, as in the memory of a server without the iterator that
    /// limits versions.
    NewestFirst,
    /// Both stay, in any order, as in two files.
    AnyOrder,
}

/// The place of an entry: its key, and its rank among entries of the same key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) stored: StoredKey,
    rank: u64,
}

/// A value, and the file that contains it.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) value: Bytes,
    pub(super) file: u32,
}

#[derive(Debug)]
pub(super) struct Entries {
    pub(super) places: BTreeMap<Place, Stored>,
    copies: Copies,
    written: u64,
    pub(super) last_file: u32,
}

/// Entries of a scan that are hidden before it is worth while to look for the next one anew.
const READ_ON: u32 = 4;

impl Entries {
    pub(super) fn new(copies: Copies) -> Self {
        Self {
            places: BTreeMap::new(),
            copies,
            written: 0,
            last_file: MEMORY,
        }
    }

    pub(super) fn apply(&mut self, mutation: &Mutation, rank: u64) {
        self.written += 1;
        let rank = match self.copies {
            Copies::Replaced => 0,
            Copies::NewestFirst => u64::MAX - self.written,
            Copies::AnyOrder => rank,
        };
        for update in &mutation.updates {
            // The engine gives a timestamp to everything that it writes.
            let timestamp = update.timestamp.unwrap_or_default();
            let key = Key::new(mutation.row.clone(), update.column.clone(), timestamp);
            let (is_delete, value) = match &update.change {
                Change::Put(value) => (false, value.clone()),
                Change::Delete => (true, Bytes::new()),
            };
            let stored = StoredKey { key, is_delete };
            let file = MEMORY;
            self.places
                .insert(Place { stored, rank }, Stored { value, file });
        }
    }

    pub(super) fn scan(&self, scan: &Scan, authorizations: &Authorizations) -> Vec<Cell> {
        let mut cells = Vec::new();
        for span in scan.spans() {
            let mut view = View::new(scan, span, Versions::All, authorizations);
            let mut entries = self.between(&View::read_from(scan, span), span.end());
            let mut in_vain = 0;
            while let Some((Place { stored, .. }, Stored { value, .. })) = entries.next() {
                if view.admit(stored.key.as_ref(), value, stored.is_delete) == Admission::Show {
                    cells.push(Cell::new(stored.key.clone(), value.clone()));
                    in_vain = 0;
                    continue;
                }
                in_vain += 1;
                if in_vain == READ_ON {
                    in_vain = 0;
                    if let Some(from) = next_looked_at(&view, &stored.key) {
                        entries = self.between(&from, span.end());
                    }
                }
            }
        }
        cells
    }

    pub(super) fn all_hold(
        &self,
        mutation: &ConditionalMutation,
        authorizations: &Authorizations,
    ) -> bool {
        let row = &mutation.mutation.row;
        let mut conditions = mutation.conditions.iter();
        conditions.all(|condition| self.holds(row, condition, authorizations))
    }

    fn holds(&self, row: &Bytes, condition: &Condition, authorizations: &Authorizations) -> bool {
        let scan = Scan::over(Span::cell(row.clone(), &condition.column)).filter(condition.filter);
        let cells = self.scan(&scan, authorizations);
        let found = cells.iter().find(|cell| {
            condition
                .timestamp
                .is_none_or(|wanted| cell.key.timestamp == wanted)
        });
        condition.holds(found.map(|cell| cell.value.as_ref()))
    }

    fn between<'e>(
        &'e self,
        from: &Key,
        end: Option<&Key>,
    ) -> impl Iterator<Item = (&'e Place, &'e Stored)> + use<'e> {
        let from = first_at(from);
        // An empty range, not a panic, where the end is before the start.
        let end = end.map(first_at).map(|end| end.max(from.clone()));
        let end = end.map_or(Bound::Unbounded, Bound::Excluded);
        self.places.range((Bound::Included(from), end))
    }
}

/// The first place that an entry of a key can have.
fn first_at(key: &Key) -> Place {
    let (key, is_delete) = (key.clone(), true);
    Place {
        stored: StoredKey { key, is_delete },
        rank: 0,
    }
}

/// Returns the key at which a scan continues after an entry, or `None` for the next entry.
fn next_looked_at(view: &View<'_>, last: &Key) -> Option<Key> {
    let at = |timestamp| Key {
        timestamp,
        ..last.clone()
    };
    match view.looks_next() {
        LooksNext::Nowhere => Some(at(i64::MIN).successor()),
        LooksNext::AtOrBelow(timestamp) => (timestamp < last.timestamp).then(|| at(timestamp)),
    }
}
