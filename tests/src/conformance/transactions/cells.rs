//! Random cells of a table.

use std::collections::BTreeMap;

use fluo_table::layout::notification_column;
use fluo_table::{Bytes, Cell, Column, Key, Mutation, RowColumn};

use super::entry::{self, Entry};
use crate::conformance::agreement::Random;
use crate::conformance::ground::Ground;

/// Maximum number of entries of a column. Servers seek past more than ten.
const MAX_ENTRIES: usize = 40;

/// Stored entries by column, in stored order.
#[derive(Debug)]
pub(super) struct Cells {
    columns: BTreeMap<RowColumn, Vec<Entry>>,
}

/// The kind of entries that a column gets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mix {
    /// Entries of all kinds, which need not be consistent.
    Any,
    /// Entries of several transactions, sequential and concurrent.
    Transactions,
}

impl Cells {
    /// Draws cells of a few rows, in columns of cells and of notifications. Some columns have a
    /// visibility that hides them from some readers. One notification is unpartitioned.
    pub(super) fn draw(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let observed = Column::new("stat", "count");
        let places = [
            Column::new("", ""),
            Column::new("f", "a"),
            Column::new("f", "a").with_visibility("A"),
            Column::new("f", "b"),
            Column::new("g", "a"),
            notification_column(&observed),
            notification_column(&Column::new("f", "a")),
            Column::new("z", "a"),
        ];
        let mut columns = BTreeMap::new();
        for row in 0..6 {
            for column in &places {
                if random.one_in(4) {
                    continue;
                }
                let entries = match column.family == "ntfy" {
                    true => random.several(1, MAX_ENTRIES, entry::of_notification),
                    false => of_cell(&mut random),
                };
                let place = RowColumn::new(format!("r{row}"), column.clone());
                columns.insert(place, in_stored_order(entries));
            }
        }
        let unpartitioned = notification_column(&Column::new("s", "strong"));
        let entries = random.several(1, MAX_ENTRIES, entry::of_notification);
        let place = RowColumn::new("adb:A0BM", unpartitioned);
        columns.insert(place, in_stored_order(entries));
        Self { columns }
    }

    /// Returns each column with its entries.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&RowColumn, &[Entry])> {
        self.columns.iter().map(|(place, entries)| (place, &entries[..]))
    }

    /// Returns all cells, in the order of the table.
    pub(super) fn all(&self) -> Vec<Cell> {
        let cells = self.columns.iter().flat_map(|(place, entries)| {
            let key = |stamp| Key::new(place.row.clone(), place.column.clone(), stamp);
            let entries = entries.iter();
            entries.map(move |(stamp, value)| Cell::new(key(*stamp), value.clone()))
        });
        cells.collect()
    }

    /// Removes the entries of each column for which `keep` returns `false`.
    pub(super) fn retain(&mut self, keep: impl Fn(&RowColumn, &[Entry]) -> Vec<bool>) {
        for (place, entries) in &mut self.columns {
            let mut keep = keep(place, entries).into_iter();
            entries.retain(|_| keep.next().unwrap());
        }
    }

    /// Writes half of the entries, flushes, splits, and writes the rest.
    pub(super) async fn write(&self, ground: &Ground) {
        ground.write(self.half(0)).await;
        ground.tables.flush(&ground.name).await.unwrap();
        ground.add_splits(["r2", "r4"]).await;
        ground.write(self.half(1)).await;
    }

    fn half(&self, half: usize) -> Vec<Mutation> {
        let mut mutations: BTreeMap<Bytes, Mutation> = BTreeMap::new();
        for (place, entries) in &self.columns {
            let mutation = mutations.remove(&place.row);
            let mutation = mutation.unwrap_or_else(|| Mutation::new(place.row.clone()));
            let entries = entries.iter().skip(half).step_by(2);
            let written = entries.fold(mutation, |mutation, (stamp, value)| {
                mutation.put_at(place.column.clone(), *stamp, value.clone())
            });
            mutations.insert(place.row.clone(), written);
        }
        let mutations = mutations.into_values();
        mutations.filter(|mutation| !mutation.updates.is_empty()).collect()
    }
}

fn of_cell(random: &mut Random) -> Vec<Entry> {
    match random.pick(&[Mix::Any, Mix::Transactions]) {
        Mix::Any if random.one_in(3) => random.several(11, MAX_ENTRIES, entry::of_cell),
        Mix::Any => random.several(1, 6, entry::of_cell),
        Mix::Transactions => random.several(1, 5, entry::of_transaction).concat(),
    }
}

/// Sorts entries with the newest first, and keeps one entry for each timestamp.
fn in_stored_order(entries: Vec<Entry>) -> Vec<Entry> {
    let by_stamp: BTreeMap<i64, Bytes> = entries.into_iter().collect();
    by_stamp.into_iter().rev().collect()
}
