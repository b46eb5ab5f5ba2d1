//! Skipping entries that a filter does not need.

use fluo_table::table::EntryFilter;

use crate::key;

/// The number of hidden entries in a row after which seeking is cheaper than reading on.
const READ_ON: usize = 16;

/// A counter of hidden entries that decides when to seek, and to which key.
#[derive(Debug, Default)]
pub(crate) struct Skip {
    hidden: usize,
}

impl Skip {
    pub(crate) fn shown(&mut self) {
        self.hidden = 0;
    }

    /// Records a hidden entry. Returns the key to seek to, or `None` to continue with the next
    /// entry.
    pub(crate) fn hidden(&mut self, view: &EntryFilter, stored: &[u8]) -> Option<Vec<u8>> {
        self.hidden += 1;
        if self.hidden < READ_ON {
            return None;
        }
        self.hidden = 0;
        let from = match view.looks_next() {
            // No further entry of the column matters.
            None => key::after_all_versions(key::column_of(stored)),
            Some(stamp) => key::first_version(key::column_of(stored), stamp),
        };
        (from.as_slice() > stored).then_some(from)
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
}
