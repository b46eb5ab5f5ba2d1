//! One step of a compaction.

use std::ops::AddAssign;

use fluo_table::table::{ColumnGarbage, EntryFilter};
use fluo_table::{Error, Garbage, Scan, Span, Versions};

use crate::catalog;
use crate::condition::unreadable_key;
use crate::engine::{Cells, Families, Read, Transaction};
use crate::error::Failure;
use crate::key::{self, KeyReader};
use crate::tablets::{CountChanges, EndRows};

#[derive(Debug)]
pub(super) struct Compaction {
    name: String,
    table_id: u64,
    /// The rows of the tablets.
    span: Span,
    /// The garbage of transactions that is dropped.
    garbage: Garbage,
    /// The key at which to continue; `None` when done.
    next: Option<Vec<u8>>,
    /// The rules of the table, within the current column.
    view: Option<EntryFilter>,
    /// The number of versions that the table kept at the last step.
    versions: Option<Versions>,
    /// The bytes of the current column, and its first delete marker, which is dropped last.
    column: Vec<u8>,
    marker: Option<Vec<u8>>,
    /// The collector of the garbage in the current column, while the column is searched for
    /// garbage.
    column_garbage: Option<ColumnGarbage>,
}

/// The number of dropped entries of each map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dropped {
    pub(super) notifications: u64,
    pub(super) others: u64,
}

impl AddAssign for Dropped {
    fn add_assign(&mut self, other: Self) {
        self.notifications += other.notifications;
        self.others += other.others;
    }
}

impl Compaction {
    /// Returns a compaction of whole tablets at its beginning.
    pub(super) fn new(name: &str, table_id: u64, span: Span, garbage: Garbage) -> Self {
        Self {
            name: name.to_owned(),
            table_id,
            next: Some(key::bound(span.start().as_ref())),
            span,
            garbage,
            view: None,
            versions: None,
            column: Vec::new(),
            marker: None,
            column_garbage: None,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.next.is_none()
    }

    /// Processes the next `most` entries, or more if a column is processed as a whole (C5). Drops
    /// the entries that can be dropped, and returns their numbers.
    pub(super) fn step(
        &mut self,
        transaction: &mut Transaction<'_>,
        most: usize,
    ) -> Result<Dropped, Failure> {
        let cells = transaction.maps().cells(self.table_id);
        let cells = cells.ok_or_else(|| Error::no_such_table(&self.name))?;
        let properties = catalog::properties(transaction, self.table_id)?;
        let versions = Versions::for_compaction(&properties);
        if self.versions.replace(versions) != Some(versions) {
            self.begin_column_anew();
        }
        let earlier = self.marker.clone();
        let mut hidden = self.read_on(transaction, &cells, versions, most)?;
        // Each entry has to be counted once.
        hidden.sort_unstable();
        hidden.dedup();
        self.drop_entries(transaction, &cells, &hidden, earlier.as_deref())
    }

    /// Restarts the current column, whose entries were counted under another number of versions
    /// (C4).
    fn begin_column_anew(&mut self) {
        if !self.column.is_empty() {
            self.next = Some(std::mem::take(&mut self.column));
            self.view = None;
            self.marker = None;
        }
    }

    /// Reads the entries of a step, and returns the keys of those that can be dropped now.
    fn read_on(
        &mut self,
        read: &impl Read,
        cells: &Cells,
        versions: Versions,
        most: usize,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let span = self.span.clone();
        let mut view = self
            .view
            .take()
            .unwrap_or_else(|| EntryFilter::new(&Scan::over(span.clone()), &span, versions, None));
        let mut reader = KeyReader::default();
        let mut hidden = Vec::new();
        let mut looked_at = 0;
        let from = self.next.take().unwrap_or_default();
        let end = span.end().map(|end| key::bound(end.as_ref()));
        for entry in read.cells(cells, Families::All, &from, end.as_deref()) {
            let (bytes, value) = entry?;
            let bytes = &bytes[..];
            let (key, is_delete) = reader.read(bytes).ok_or_else(unreadable_key)?;
            if self.column != key::column_of(bytes) {
                self.leave_column(&mut hidden);
                if looked_at >= most {
                    // Continue at the beginning of the column, because entries may be written there
                    // in the meantime.
                    self.next = Some(key::column_of(bytes).to_vec());
                    return Ok(hidden);
                }
                self.column.extend_from_slice(key::column_of(bytes));
                self.column_garbage = self.garbage.for_column(key.family, versions);
            }
            self.look_for_garbage(key.timestamp, &value, is_delete);
            if !view.shows(key, &value, is_delete) {
                self.hide(bytes, is_delete, &mut hidden);
            }
            looked_at += 1;
            if looked_at >= most && self.column_garbage.is_none() {
                self.view = Some(view);
                self.next = Some(self.resume_after(bytes));
                return Ok(hidden);
            }
        }
        self.leave_column(&mut hidden);
        Ok(hidden)
    }

    /// Ends the current column: its marker hides no more entries (C1), and its garbage is known
    /// (C5).
    fn leave_column(&mut self, hidden: &mut Vec<Vec<u8>>) {
        hidden.extend(self.marker.take());
        if let Some(garbage) = self.column_garbage.take() {
            let stamps = garbage.finish().into_iter();
            hidden.extend(stamps.map(|stamp| key::version(&self.column, stamp)));
        }
        self.column.clear();
    }

    /// Passes an entry to the garbage collector. A column with a delete marker is not one of
    /// transactions.
    fn look_for_garbage(&mut self, stamp: i64, value: &[u8], is_delete: bool) {
        if is_delete {
            self.column_garbage = None;
        }
        if let Some(garbage) = &mut self.column_garbage {
            garbage.look_at(stamp, value);
        }
    }

    fn hide(&mut self, bytes: &[u8], is_delete: bool, hidden: &mut Vec<Vec<u8>>) {
        if is_delete && self.marker.is_none() {
            self.marker = Some(bytes.to_vec());
        } else {
            hidden.push(bytes.to_vec());
        }
    }

    /// Returns the key at which the next step begins: behind the marker if there is one, so that
    /// the step sees entries that are written there in the meantime (C1).
    fn resume_after(&self, last: &[u8]) -> Vec<u8> {
        let last = self.marker.as_deref().unwrap_or(last);
        [last, &[0]].concat()
    }

    /// Drops entries in the order of their keys. This transaction has read all of them, except a
    /// marker of an earlier step.
    fn drop_entries(
        &self,
        transaction: &mut Transaction<'_>,
        cells: &Cells,
        hidden: &[Vec<u8>],
        earlier: Option<&[u8]>,
    ) -> Result<Dropped, Failure> {
        let mut dropped = Dropped::default();
        let (Some(first), Some(last)) = (hidden.first(), hidden.last()) else {
            return Ok(dropped);
        };
        let (mut of_first, mut of_last) = (KeyReader::default(), KeyReader::default());
        let (first, _) = of_first.read(first).ok_or_else(unreadable_key)?;
        let (last, _) = of_last.read(last).ok_or_else(unreadable_key)?;
        let ends = EndRows::between(transaction, self.table_id, first.row, last.row)?;
        let mut changes = CountChanges::default();
        let mut reader = KeyReader::default();
        for bytes in hidden {
            let (key, _) = reader.read(bytes).ok_or_else(unreadable_key)?;
            let map = cells.for_family(key.family);
            if earlier == Some(bytes) && !transaction.contains(map, bytes)? {
                continue;
            }
            transaction.remove(map, bytes);
            changes.add(ends.key_of_row(self.table_id, key.row), -1);
            match Families::for_family(key.family) == Families::Notifications {
                true => dropped.notifications += 1,
                false => dropped.others += 1,
            }
        }
        changes.apply(transaction)?;
        Ok(dropped)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use fluo_table::table::StoredKey;
    use fluo_table::{Column, Key};
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::engine::Engine;
    use crate::engine::tests::engine;
    use crate::tablets;

    const TABLE_ID: u64 = 1;

    /// An event between two steps: entries are stored, or the version properties change.
    #[derive(Clone, Debug)]
    enum Meanwhile {
        Store(Vec<StoredKey>),
        Keep(Versions),
    }

    fn stored_keys(most: usize) -> impl Strategy<Value = Vec<StoredKey>> {
        let key = ("[ab]", "f|ntfy|z", "[pq]", 0i64..12, any::<bool>()).prop_map(
            |(row, family, qualifier, timestamp, is_put)| StoredKey {
                key: Key::new(row, Column::new(family, qualifier), timestamp),
                is_put,
            },
        );
        proptest::collection::vec(key, 0..most)
    }

    fn versions() -> impl Strategy<Value = Versions> {
        prop_oneof![
            Just(Versions::All),
            (1u32..4).prop_map(|count| Versions::Latest(NonZeroU32::new(count).unwrap()))
        ]
    }

    fn meanwhile() -> impl Strategy<Value = Meanwhile> {
        prop_oneof![
            4 => stored_keys(3).prop_map(Meanwhile::Store),
            1 => versions().prop_map(Meanwhile::Keep),
        ]
    }

    fn store(transaction: &mut Transaction<'_>, keys: &[StoredKey]) -> Result<(), Failure> {
        let cells = transaction.maps().cells(TABLE_ID).unwrap();
        let ends = EndRows::all(transaction, TABLE_ID)?;
        let mut changes = CountChanges::default();
        for stored in keys {
            let mut bytes = Vec::new();
            key::push_key(&mut bytes, stored.key.as_ref(), !stored.is_put);
            let map = cells.for_family(&stored.key.column.family);
            if !transaction.contains(map, &bytes)? {
                transaction.insert(map, &bytes, &[])?;
                changes.add(ends.key_of_row(TABLE_ID, &stored.key.row), 1);
            }
        }
        changes.apply(transaction)
    }

    fn keep(transaction: &mut Transaction<'_>, versions: Versions) -> Result<(), Failure> {
        for name in Versions::default().to_properties().keys() {
            catalog::put_property(transaction, TABLE_ID, name, None)?;
        }
        for (name, value) in versions.to_properties() {
            catalog::put_property(transaction, TABLE_ID, &name, Some(&value))?;
        }
        Ok(())
    }

    /// Returns the shown entries, and the number of stored entries.
    fn shown(
        transaction: &Transaction<'_>,
        versions: Versions,
    ) -> Result<(Vec<Key>, usize), Failure> {
        let cells = transaction.maps().cells(TABLE_ID).unwrap();
        let scan = Scan::over(Span::all());
        let mut view = EntryFilter::new(&scan, &scan.spans()[0], versions, None);
        let (mut reader, mut shown, mut stored) = (KeyReader::default(), Vec::new(), 0);
        for entry in transaction.cells(&cells, Families::All, &[], None) {
            let (bytes, value) = entry?;
            let (key, is_delete) = reader.read(&bytes).ok_or_else(unreadable_key)?;
            stored += 1;
            if view.shows(key, &value, is_delete) {
                shown.push(key.to_key());
            }
        }
        let counted = tablets::list(transaction, TABLE_ID)?;
        assert_eq!(counted, [(None, u64::try_from(stored).unwrap())]);
        Ok((shown, stored))
    }

    fn run(
        engine: &Engine,
        first: &[StoredKey],
        mut versions: Versions,
        events: Vec<Meanwhile>,
        most: usize,
    ) -> Result<(), Failure> {
        // It is never committed, so each run begins with an empty table.
        let transaction = &mut engine.begin().unwrap();
        catalog::put_number(transaction, catalog::NEXT_TABLE_ID, TABLE_ID)?;
        catalog::create(transaction, "t", versions)?;
        store(transaction, first)?;
        let mut compaction = Compaction::new("t", TABLE_ID, Span::all(), Garbage::Keep);
        let mut events = events.into_iter();
        while !compaction.is_done() {
            let (before, _) = shown(transaction, versions)?;
            compaction.step(transaction, most)?;
            assert_eq!(shown(transaction, versions)?.0, before);
            match events.next() {
                Some(Meanwhile::Store(keys)) => store(transaction, &keys)?,
                Some(Meanwhile::Keep(other)) => {
                    versions = other;
                    keep(transaction, versions)?;
                }
                None => {}
            }
        }
        let mut again = Compaction::new("t", TABLE_ID, Span::all(), Garbage::Keep);
        again.step(transaction, usize::MAX)?;
        let (shown, stored) = shown(transaction, versions)?;
        assert_eq!(shown.len(), stored, "every remaining entry is shown");
        Ok(())
    }

    #[test]
    fn no_step_changes_what_is_seen_whatever_is_written_between() {
        let (_directory, engine) = engine();
        let events = proptest::collection::vec(meanwhile(), 0..20);
        let cases = (stored_keys(40), versions(), events, 1usize..6);
        let run = |(first, versions, events, most): (Vec<_>, _, _, _)| {
            run(&engine, &first, versions, events, most).unwrap();
            Ok(())
        };
        TestRunner::default().run(&cases, run).unwrap();
    }
}
