//! Skipping entries that a filter does not need.

use std::time::{Duration, Instant};

use fluo_table::table::EntryFilter;

use crate::engine::CellEntries;
use crate::key;

/// The number of hidden entries of a column after which seeking may be cheaper than reading on.
const READ_ON: usize = 16;

/// A counter of hidden entries that decides when to seek, and to which key.
///
/// A seek may take long: the engine passes all entries from there on that are newer than the
/// snapshot. So it is worth it only after hidden entries were read for as long as the last one
/// took.
#[derive(Debug, Default)]
pub(crate) struct Skip {
    /// The column of the last hidden entry, and the number of its hidden entries.
    column: Vec<u8>,
    hidden: usize,
    /// The time at which the last seek ended, and the time that it took.
    last_seek: Option<(Instant, Duration)>,
}

impl Skip {
    /// Records that the next entry is shown.
    pub(crate) fn shown(&mut self) {
        self.hidden = 0;
    }

    /// Records a hidden entry. Returns the key to seek to, or `None` to continue with the next
    /// entry.
    pub(crate) fn hidden(&mut self, view: &EntryFilter, stored: &[u8]) -> Option<Vec<u8>> {
        let column = key::column_of(stored);
        if self.column != column {
            self.column.clear();
            self.column.extend_from_slice(column);
            self.hidden = 0;
        }
        self.hidden += 1;
        let is_early = |(end, took): (Instant, Duration)| end.elapsed() < took;
        if !self.hidden.is_multiple_of(READ_ON) || self.last_seek.is_some_and(is_early) {
            return None;
        }
        let from = match view.looks_next() {
            // No further entry of the column matters.
            None => key::after_all_versions(column),
            Some(stamp) => key::first_version(column, stamp),
        };
        (from.as_slice() > stored).then_some(from)
    }

    /// Seeks: returns the entries from a key on, once the first of them is read.
    pub(crate) fn seek(&mut self, entries: impl FnOnce() -> CellEntries) -> CellEntries {
        let begin = Instant::now();
        let mut entries = entries();
        entries.peek();
        let end = Instant::now();
        (self.hidden, self.last_seek) = (0, Some((end, end - begin)));
        entries
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::layout::{EntryKind, EntryTimestamp, WriteValue};
    use fluo_table::{Authorizations, Column, Filter, Key, Scan, Span, Timestamp, Versions};

    use super::*;

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    #[test]
    fn does_not_read_skipped_entries_one_by_one() {
        let column = Column::new("f", "q");
        let key = |kind, number| {
            let stamp = EntryTimestamp::new(kind, at(number)).encode();
            Key::new("r", column.clone(), stamp)
        };
        let scan = Scan::over(Span::all()).filter(Filter::Snapshot { at: at(1_000) });
        let none = Authorizations::none();
        let mut view = EntryFilter::new(&scan, &scan.spans()[0], Versions::All, Some(&none));
        let mut skip = Skip::default();
        let mut read_on = None;
        let mut looked_at = 0;
        for commit in (0..500).rev() {
            let write = WriteValue { start: at(commit), is_primary: false, is_delete: false };
            let key = key(EntryKind::Write, commit + 1);
            view.shows(key.as_ref(), &write.encode(), false);
            looked_at += 1;
            let mut stored = Vec::new();
            key::push_key(&mut stored, key.as_ref(), false);
            read_on = skip.hidden(&view, &stored);
            if read_on.is_some() {
                break;
            }
        }
        assert_eq!(looked_at, READ_ON);
        let first_del_lock = Key::new("r", column, 0x3fff_ffff_ffff_ffff);
        assert_eq!(read_on, Some(key::bound(first_del_lock.as_ref())));
    }

    #[test]
    fn without_a_filter_every_entry_is_read() {
        let scan = Scan::over(Span::all());
        let none = Authorizations::none();
        let mut view = EntryFilter::new(&scan, &scan.spans()[0], Versions::default(), Some(&none));
        let mut skip = Skip::default();
        for timestamp in (0..100).rev() {
            let key = Key::new("r", Column::new("f", "q"), timestamp);
            view.shows(key.as_ref(), b"", false);
            let mut stored = Vec::new();
            key::push_key(&mut stored, key.as_ref(), false);
            assert_eq!(skip.hidden(&view, &stored), None);
        }
    }

    /// A scan for notifications once sought every 16 entries of columns with few.
    #[test]
    fn few_hidden_entries_of_each_column_are_read() {
        let scan = Scan::over(Span::all()).filter(Filter::Snapshot { at: at(1) });
        let none = Authorizations::none();
        let mut view = EntryFilter::new(&scan, &scan.spans()[0], Versions::All, Some(&none));
        let mut skip = Skip::default();
        for column in 0..100 {
            let column = Column::new("f", format!("{column:03}"));
            for commit in (1..READ_ON as u64).rev() {
                let stamp = EntryTimestamp::new(EntryKind::Write, at(commit + 1)).encode();
                let write = WriteValue { start: at(commit), is_primary: false, is_delete: false };
                let key = Key::new("r", column.clone(), stamp);
                view.shows(key.as_ref(), &write.encode(), false);
                let mut stored = Vec::new();
                key::push_key(&mut stored, key.as_ref(), false);
                assert_eq!(skip.hidden(&view, &stored), None, "{key}");
            }
        }
    }
}
