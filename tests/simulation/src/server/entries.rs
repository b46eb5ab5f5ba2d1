//! The entries of a table, each in memory or in a file.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;

use fluo_table::table::EntryFilter;
use fluo_table::{
    Authorizations, Bytes, Cell, Change, Column, Condition, ConditionalMutation, Key, KeyRef,
    Mutation, Scan, Span, Update, Versions, row_successor,
};

/// The number of the file in which nothing was flushed yet.
pub(super) const MEMORY: u32 = 0;

/// The handling of two entries of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Copies {
    /// The later one replaces the earlier one.
    #[default]
    Replaced,
    /// Both stay, the later one first, as in the memory of a server without the iterator that
    /// limits versions.
    NewestFirst,
    /// Both stay, in any order, as in two files.
    AnyOrder,
}

/// An entry of a column.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) timestamp: i64,
    is_delete: bool,
    /// The place of the entry among entries of the same key.
    rank: u64,
    pub(super) value: Bytes,
    /// The file that contains the entry.
    pub(super) file: u32,
}

impl Entry {
    /// Returns the place of the entry in its column: the newest first, and a delete marker before
    /// the put that it hides.
    fn place(&self) -> (Reverse<i64>, bool, u64) {
        (Reverse(self.timestamp), !self.is_delete, self.rank)
    }
}

/// The columns of a row, each with its entries in stored order.
pub(super) type Columns = BTreeMap<Column, Vec<Entry>>;

#[derive(Debug)]
pub(super) struct Entries {
    /// No row and no column is empty.
    pub(super) rows: BTreeMap<Bytes, Columns>,
    copies: Copies,
    written: u64,
    pub(super) last_file: u32,
}

/// Entries of a scan that are hidden before it is worth while to look for the next one anew.
const READ_ON: u32 = 4;

impl Entries {
    pub(super) fn new(copies: Copies) -> Self {
        Self { rows: BTreeMap::new(), copies, written: 0, last_file: MEMORY }
    }

    pub(super) fn apply(&mut self, mutation: &Mutation, rank: u64) {
        self.written += 1;
        let rank = match self.copies {
            Copies::Replaced => 0,
            Copies::NewestFirst => u64::MAX - self.written,
            Copies::AnyOrder => rank,
        };
        if mutation.updates.is_empty() {
            return;
        }
        let columns = self.rows.entry(mutation.row.clone()).or_default();
        let by_column = mutation.updates.chunk_by(|one, other| one.column == other.column);
        for updates in by_column {
            let column = updates.first().map(|update| update.column.clone());
            let entries = columns.entry(column.unwrap_or_default()).or_default();
            updates.iter().for_each(|update| insert(entries, update, rank));
        }
    }

    pub(super) fn scan(&self, scan: &Scan, authorizations: &Authorizations) -> Vec<Cell> {
        let mut cells = Vec::new();
        for span in scan.spans() {
            let mut shown = Shown {
                scan,
                view: EntryFilter::new(scan, span, Versions::All, Some(authorizations)),
                hidden_in_a_row: 0,
                cells: &mut cells,
            };
            // It is the first key of its column.
            let from = EntryFilter::read_from(scan, span);
            for (row, columns) in self.rows.range::<Bytes, _>(from_on(&from.row)) {
                let from = (*row == from.row).then_some(&from.column);
                let end = match span.end() {
                    Some(end) if *row > end.row => break,
                    end => end.filter(|end| *row == end.row),
                };
                shown.show_row(row, columns, from, end);
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
        let found = cells
            .iter()
            .find(|cell| condition.timestamp.is_none_or(|wanted| cell.key.timestamp == wanted));
        condition.holds(found.map(|cell| cell.value.as_ref()))
    }
}

/// Adds the entry that an update writes to the entries of its column.
fn insert(entries: &mut Vec<Entry>, update: &Update, rank: u64) {
    let (is_delete, value) = match &update.change {
        Change::Put(value) => (false, value.clone()),
        Change::Delete => (true, Bytes::new()),
    };
    let entry = Entry {
        // The engine gives a timestamp to everything that it writes.
        timestamp: update.timestamp.unwrap_or_default(),
        is_delete,
        rank,
        value,
        file: MEMORY,
    };
    match entries.binary_search_by_key(&entry.place(), Entry::place) {
        Ok(at) => entries.splice(at..=at, [entry]).for_each(drop),
        Err(at) => entries.insert(at, entry),
    }
}

/// The cells that a scan shows of one of its spans.
struct Shown<'a> {
    scan: &'a Scan,
    view: EntryFilter,
    /// The number of entries hidden since the last shown one.
    hidden_in_a_row: u32,
    cells: &'a mut Vec<Cell>,
}

impl Shown<'_> {
    /// Shows the columns of a row from one on, up to a key of the row.
    fn show_row(
        &mut self,
        row: &Bytes,
        columns: &Columns,
        from: Option<&Column>,
        end: Option<&Key>,
    ) {
        let filter = self.scan.filter;
        let mut left = columns.range(from.map_or((Bound::Unbounded, Bound::Unbounded), from_on));
        while let Some((column, entries)) = left.next() {
            let up_to = match end {
                Some(end) if *column > end.column => return,
                Some(end) if *column == end.column => {
                    entries.partition_point(|entry| entry.timestamp > end.timestamp)
                }
                _ => entries.len(),
            };
            if filter.looks_at_family(&column.family) {
                self.show_column(row, column, entries.get(..up_to).unwrap_or_default());
            } else {
                let next_family = Column::new(row_successor(&column.family), "");
                left = columns.range::<Column, _>(from_on(&next_family));
            }
        }
    }

    fn show_column(&mut self, row: &Bytes, column: &Column, entries: &[Entry]) {
        let mut at = 0;
        while let Some(entry) = entries.get(at) {
            at += 1;
            let key = KeyRef::new(row, column, entry.timestamp);
            if self.view.shows(key, &entry.value, entry.is_delete) {
                self.cells.push(Cell::new(key_of(row, column, entry), entry.value.clone()));
                self.hidden_in_a_row = 0;
                continue;
            }
            self.hidden_in_a_row += 1;
            if self.hidden_in_a_row >= READ_ON {
                self.hidden_in_a_row = 0;
                match self.view.looks_next() {
                    None => return,
                    Some(timestamp) => {
                        at = at.max(entries.partition_point(|entry| entry.timestamp > timestamp));
                    }
                }
            }
        }
    }
}

fn key_of(row: &Bytes, column: &Column, entry: &Entry) -> Key {
    Key::new(row.clone(), column.clone(), entry.timestamp)
}

/// Returns the range from something on.
fn from_on<T>(first: &T) -> (Bound<&T>, Bound<&T>) {
    (Bound::Included(first), Bound::Unbounded)
}
