//! Tests that the garbage of transactions is dropped column by column, whatever the size of a step
//! and whatever is written between two steps.

use std::collections::BTreeMap;

use fluo_table::layout::garbage::CellGarbage;
use fluo_table::layout::{DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, WriteValue};
use fluo_table::{Bytes, Column, Garbage, Key, RowColumn, Span, Timestamp, Versions};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::step::Compaction;
use crate::catalog;
use crate::engine::tests::engine;
use crate::engine::{Engine, Read, Transaction};
use crate::error::Failure;
use crate::key::{self, KeyReader};
use crate::tablets::{self, CountChanges, EndRows};

const TABLE_ID: u64 = 1;
const HORIZON: u64 = 6;

/// The entries of each column, newest first, and whether the column has a delete marker.
type Columns = BTreeMap<RowColumn, (Vec<(i64, Bytes)>, bool)>;

#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    value: Bytes,
    is_delete: bool,
}

fn entries(most: usize) -> impl Strategy<Value = Vec<Entry>> {
    let timestamp = || (0u64..10).prop_map(|number| Timestamp::new(number).unwrap());
    let write = (timestamp(), any::<[bool; 2]>()).prop_map(|(start, [is_primary, is_delete])| {
        let value = WriteValue { start, is_primary, is_delete };
        (EntryKind::Write, value.encode())
    });
    let del_lock =
        (timestamp(), any::<[bool; 2]>()).prop_map(|(done, [is_primary, is_rolled_back])| {
            let value = DelLockValue { is_rolled_back, is_primary, done };
            (EntryKind::DelLock, value.encode())
        });
    let del_read_lock = proptest::option::of(timestamp()).prop_map(|commit| {
        let value = commit.map_or(DelReadLockValue::RolledBack, DelReadLockValue::Committed);
        (EntryKind::DelReadLock, value.encode())
    });
    let other = proptest::sample::select(vec![
        EntryKind::TxDone,
        EntryKind::ReadLock,
        EntryKind::Lock,
        EntryKind::Ack,
        EntryKind::Data,
    ]);
    let kind = prop_oneof![
        3 => write,
        1 => del_lock,
        1 => del_read_lock,
        3 => other.prop_map(|kind| (kind, Bytes::new())),
    ];
    let is_delete = proptest::bool::weighted(0.03);
    let entry = ("[ab]", "[pq]", kind, timestamp(), is_delete).prop_map(
        |(row, qualifier, (kind, value), timestamp, is_delete)| {
            let stamp = EntryTimestamp::new(kind, timestamp).encode();
            Entry {
                key: Key::new(row, Column::new("f", qualifier), stamp),
                value: if is_delete { Bytes::new() } else { value },
                is_delete,
            }
        },
    );
    proptest::collection::vec(entry, 0..most)
}

fn store(transaction: &mut Transaction<'_>, entries: &[Entry]) -> Result<(), Failure> {
    let cells = transaction.maps().cells(TABLE_ID).unwrap();
    let ends = EndRows::all(transaction, TABLE_ID)?;
    let mut changes = CountChanges::default();
    for Entry { key, value, is_delete } in entries {
        let mut bytes = Vec::new();
        key::push_key(&mut bytes, key.as_ref(), *is_delete);
        let map = cells.for_family(&key.column.family);
        let is_new = !transaction.contains(map, &bytes)?;
        transaction.insert(map, &bytes, value)?;
        changes.add(ends.key_of_row(TABLE_ID, &key.row), i64::from(is_new));
    }
    changes.apply(transaction)
}

fn stored(transaction: &Transaction<'_>) -> Result<Columns, Failure> {
    let cells = transaction.maps().cells(TABLE_ID).unwrap();
    let mut reader = KeyReader::default();
    let mut columns = Columns::new();
    for entry in transaction.all(&cells.others) {
        let (bytes, value) = entry?;
        let (key, is_delete) = reader.read(&bytes).unwrap();
        let key = key.to_key();
        let column = columns.entry(RowColumn::new(key.row, key.column)).or_default();
        column.0.push((key.timestamp, Bytes::copy_from_slice(&value)));
        column.1 |= is_delete;
    }
    let counted = tablets::list(transaction, TABLE_ID)?;
    let entries: usize = columns.values().map(|(entries, _)| entries.len()).sum();
    assert_eq!(counted, [(None, u64::try_from(entries).unwrap())]);
    Ok(columns)
}

fn collected(column: &[(i64, Bytes)]) -> Vec<(i64, Bytes)> {
    let mut garbage = CellGarbage::new(Timestamp::new(HORIZON).unwrap(), true);
    column.iter().for_each(|(stamp, value)| garbage.look_at(*stamp, value));
    let dropped = garbage.finish();
    column.iter().filter(|(stamp, _)| !dropped.contains(stamp)).cloned().collect()
}

/// Runs the steps of a compaction; more entries are written after each step.
fn run(
    engine: &Engine,
    first: &[Entry],
    meanwhile: Vec<Vec<Entry>>,
    most: usize,
) -> Result<(), Failure> {
    // It is never committed, so each run begins with an empty table.
    let transaction = &mut engine.begin().unwrap();
    catalog::put_number(transaction, catalog::NEXT_TABLE_ID, TABLE_ID)?;
    catalog::create(transaction, "t", Versions::All)?;
    store(transaction, first)?;
    let is_left_alone = meanwhile.is_empty();
    let mut meanwhile = meanwhile.into_iter();
    let horizon = Timestamp::new(HORIZON).expect("a timestamp");
    let garbage = Garbage::DropBelow(horizon);
    let mut compaction = Compaction::new("t", TABLE_ID, Span::all(), garbage);
    let begun_with = stored(transaction)?;
    while !compaction.is_done() {
        let before = stored(transaction)?;
        compaction.step(transaction, most)?;
        let after = stored(transaction)?;
        for (place, (entries, has_marker)) in &before {
            let left = after.get(place).map(|(left, _)| &left[..]).unwrap_or_default();
            let is_whole = left == entries || left == collected(entries);
            assert!(is_whole || *has_marker, "{place}: of {entries:?} {left:?} is left");
        }
        store(transaction, &meanwhile.next().unwrap_or_default())?;
    }
    for (place, (entries, has_marker)) in begun_with {
        if is_left_alone && !has_marker {
            let left = stored(transaction)?.remove(&place).unwrap_or_default();
            assert_eq!(left.0, collected(&entries), "{place}");
        }
    }
    Ok(())
}

#[test]
fn a_column_is_left_as_it_is_or_collected_as_a_whole() {
    let (_directory, engine) = engine();
    let meanwhile = prop_oneof![Just(Vec::new()), proptest::collection::vec(entries(4), 0..20),];
    let most = prop_oneof![1usize..6, Just(usize::MAX)];
    let run = |(first, meanwhile, most): (Vec<_>, _, _)| {
        prop_assert!(run(&engine, &first, meanwhile, most).is_ok());
        Ok(())
    };
    TestRunner::default().run(&(entries(60), meanwhile, most), run).unwrap();
}
