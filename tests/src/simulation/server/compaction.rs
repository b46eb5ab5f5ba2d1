//! Flushes and compactions. Each reads only some files of a tablet, and so only a part of a column.

use std::collections::BTreeSet;

use fluo_core::layout::NOTIFICATION_FAMILY;
use fluo_core::layout::garbage::{CellGarbage, NotificationGarbage};
use fluo_core::table::ColumnGarbage;
use fluo_core::{Bytes, Timestamp};

use super::attached::Attached;
use super::entries::{Entries, MEMORY, Place, Stored};

/// A range of rows that is compacted by itself.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct Tablet {
    /// Rows after this one; `None` from the first row on.
    pub(in crate::simulation) after: Option<&'static str>,
    /// Rows up to this one; `None` up to the last row.
    pub(in crate::simulation) up_to: Option<&'static str>,
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
    Compaction {
        tablet,
        files: BTreeSet::from([MEMORY]),
        attached,
        horizon,
        is_full: false,
    }
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
    let in_tablet = entries
        .places
        .iter()
        .filter(|(place, _)| tablet.has(&place.stored.key.row));
    let mut all: BTreeSet<u32> = in_tablet.map(|(_, stored)| stored.file).collect();
    all.remove(&MEMORY);
    let files: BTreeSet<u32> = all
        .iter()
        .copied()
        .filter(|file| is_chosen(*file))
        .collect();
    Compaction {
        tablet,
        is_full: files == all,
        files,
        attached,
        horizon,
    }
    .run(entries)
}

impl Compaction<'_> {
    fn run(&self, entries: &mut Entries) -> usize {
        entries.last_file += 1;
        let (dropped, file) = (self.garbage(entries), entries.last_file);
        for place in &dropped {
            entries.places.remove(place);
        }
        for (place, stored) in &mut entries.places {
            if self.reads(place, stored) {
                stored.file = file;
            }
        }
        dropped.len()
    }

    fn reads(&self, place: &Place, stored: &Stored) -> bool {
        self.files.contains(&stored.file) && self.tablet.has(&place.stored.key.row)
    }

    fn garbage(&self, entries: &Entries) -> Vec<Place> {
        if self.attached == Attached::default() {
            return Vec::new();
        }
        let read: Vec<_> = entries
            .places
            .iter()
            .filter(|(place, stored)| self.reads(place, stored))
            .collect();
        let columns = read.chunk_by(|(one, _), (other, _)| {
            let (one, other) = (&one.stored.key, &other.stored.key);
            (&one.row, &one.column) == (&other.row, &other.column)
        });
        columns
            .flat_map(|column| self.garbage_of_column(column))
            .collect()
    }

    fn garbage_of_column(&self, column: &[(&Place, &Stored)]) -> Vec<Place> {
        let family = column
            .first()
            .map(|(place, _)| &place.stored.key.column.family);
        let is_notification = family.is_some_and(|family| *family == NOTIFICATION_FAMILY);
        let mut garbage = match is_notification {
            true if self.attached.notifications => {
                ColumnGarbage::Notifications(NotificationGarbage::new(self.is_full))
            }
            false if self.attached.cells => {
                ColumnGarbage::Cell(CellGarbage::new(Some(self.horizon), self.is_full))
            }
            _ => return Vec::new(),
        };
        let mut last = None;
        for (place, stored) in column {
            // Entries of one key share their fate, which the first of them decides.
            let timestamp = place.stored.key.timestamp;
            if last.replace(timestamp) != Some(timestamp) {
                garbage.look_at(timestamp, &stored.value);
            }
        }
        let dropped: BTreeSet<i64> = garbage.finish().into_iter().collect();
        let places = column.iter().map(|(place, _)| *place);
        places
            .filter(|place| dropped.contains(&place.stored.key.timestamp))
            .cloned()
            .collect()
    }
}
