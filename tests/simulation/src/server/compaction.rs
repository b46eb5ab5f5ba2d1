//! Flushes and compactions. Each reads only some files of a tablet, and so only a part of a column.

use std::collections::BTreeSet;

use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::layout::garbage::CellGarbage;
use fluo_table::table::ColumnGarbage;
use fluo_table::{Bytes, Column, Timestamp};

use super::attached::Attached;
use super::entries::{Columns, Entries, Entry, MEMORY};

/// A range of rows that is compacted by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tablet {
    /// Rows after this one; `None` from the first row on.
    pub(crate) after: Option<&'static str>,
    /// Rows up to this one; `None` up to the last row.
    pub(crate) up_to: Option<&'static str>,
}

impl Tablet {
    fn has(&self, row: &Bytes) -> bool {
        self.after.is_none_or(|after| row > after.as_bytes())
            && self.up_to.is_none_or(|up_to| row <= up_to.as_bytes())
    }
}

/// A compaction: the entries that it reads, and the garbage that it drops.
struct Compaction<'a> {
    tablet: &'a Tablet,
    files: BTreeSet<u32>,
    attached: Attached,
    horizon: Timestamp,
    is_full: bool,
}

/// Flushes the memory of a tablet, and returns the number of entries that were dropped.
pub(super) fn flush(
    entries: &mut Entries,
    tablet: &Tablet,
    attached: Attached,
    horizon: Timestamp,
) -> usize {
    Compaction { tablet, files: BTreeSet::from([MEMORY]), attached, horizon, is_full: false }
        .run(entries)
}

/// Compacts some files of a tablet, and returns the number of entries that were dropped.
pub(super) fn compact(
    entries: &mut Entries,
    tablet: &Tablet,
    is_chosen: impl Fn(u32) -> bool,
    attached: Attached,
    horizon: Timestamp,
) -> usize {
    let mut all = files_of(entries, tablet);
    all.remove(&MEMORY);
    let files: BTreeSet<u32> = all.iter().copied().filter(|file| is_chosen(*file)).collect();
    Compaction { tablet, is_full: files == all, files, attached, horizon }.run(entries)
}

/// Returns the files that contain entries of a tablet.
fn files_of(entries: &Entries, tablet: &Tablet) -> BTreeSet<u32> {
    let in_tablet = entries.rows.iter().filter(|(row, _)| tablet.has(row));
    let mut files = BTreeSet::new();
    let mut last = None;
    for entry in in_tablet.flat_map(|(_, columns)| columns.values().flatten()) {
        // Most entries lie in the same file as the entry before them.
        if last.replace(entry.file) != Some(entry.file) {
            files.insert(entry.file);
        }
    }
    files
}

impl Compaction<'_> {
    fn run(&self, entries: &mut Entries) -> usize {
        entries.last_file += 1;
        let (mut dropped, file) = (0, entries.last_file);
        entries.rows.retain(|row, columns| {
            if self.tablet.has(row) {
                dropped += self.compact_row(columns, file);
            }
            !columns.is_empty()
        });
        dropped
    }

    fn compact_row(&self, columns: &mut Columns, file: u32) -> usize {
        let mut dropped = 0;
        columns.retain(|column, entries| {
            dropped += self.compact_column(column, entries, file);
            !entries.is_empty()
        });
        dropped
    }

    /// Rewrites the entries of a column that the compaction reads, and returns the number of those
    /// that it dropped.
    fn compact_column(&self, column: &Column, entries: &mut Vec<Entry>, file: u32) -> usize {
        let garbage = self.garbage(column, entries);
        let before = entries.len();
        entries.retain_mut(|entry| {
            if !self.reads(entry) {
                return true;
            }
            entry.file = file;
            !garbage.contains(&entry.timestamp)
        });
        before - entries.len()
    }

    fn reads(&self, entry: &Entry) -> bool {
        self.files.contains(&entry.file)
    }

    /// Returns the timestamps whose entries are dropped, of those that are read.
    fn garbage(&self, column: &Column, entries: &[Entry]) -> BTreeSet<i64> {
        let mut garbage = match column.family == NOTIFICATION_FAMILY {
            true if self.attached.notifications => {
                ColumnGarbage::Notifications { stamps: Vec::new(), is_full: self.is_full }
            }
            false if self.attached.cells => {
                ColumnGarbage::Cell(CellGarbage::new(self.horizon, self.is_full))
            }
            _ => return BTreeSet::new(),
        };
        let mut last = None;
        for entry in entries.iter().filter(|entry| self.reads(entry)) {
            // Entries of one key share their fate, which the first of them decides.
            if last.replace(entry.timestamp) != Some(entry.timestamp) {
                garbage.look_at(entry.timestamp, &entry.value);
            }
        }
        garbage.finish().into_iter().collect()
    }
}
