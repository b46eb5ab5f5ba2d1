//! The tablets of a table: their end rows, and the number of entries stored in each.
//!
//! ```text
//! table id                 8 bytes, big-endian
//! 00 and the end row       or 01 for the last tablet, which has none
//! ```
//!
//! So the tablet of a row is the first one at or after the row's own record key. A table has its
//! last tablet for as long as it exists.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{Bytes, Span};
use redb::{ReadableTable, Table, WriteTransaction};

use crate::error::Failure;
use crate::key;
use crate::schema::{Cells, CellsDefinition, TABLETS, cells_name, keys_of};

const ENDS_AT_ROW: u8 = 0x00;
const LAST: u8 = 0x01;

type Records<'a> = Table<'a, &'static [u8], u64>;
/// The records, in a snapshot or in a write.
pub(crate) trait ReadRecords: ReadableTable<&'static [u8], u64> {}
impl<T: ReadableTable<&'static [u8], u64>> ReadRecords for T {}
/// The end row of a tablet, and the number of entries stored in it.
pub(crate) type Counted = (Option<Bytes>, u64);

pub(crate) fn create(records: &mut Records<'_>, table_id: u64) -> Result<(), Failure> {
    records.insert(record_key(table_id, None).as_slice(), 0)?;
    Ok(())
}

pub(crate) fn exist(records: &impl ReadRecords, table_id: u64) -> Result<bool, Failure> {
    Ok(records.get(record_key(table_id, None).as_slice())?.is_some())
}

pub(crate) fn list(records: &impl ReadRecords, table_id: u64) -> Result<Vec<Counted>, Failure> {
    let keys = keys_of(table_id);
    let range = records.range::<&[u8]>(keys.start.as_slice()..keys.end.as_slice())?;
    let mut tablets = Vec::new();
    for record in range {
        let (key, count) = record?;
        tablets.push((end_row(key.value())?, count.value()));
    }
    Ok(tablets)
}

/// Returns the record key of the tablet that contains `row`.
pub(crate) fn key_of_row(
    records: &impl ReadRecords,
    table_id: u64,
    row: &[u8],
) -> Result<Vec<u8>, Failure> {
    let from = record_key(table_id, Some(row));
    let next = records.range::<&[u8]>(from.as_slice()..)?.next().transpose()?;
    let key = next.map(|(key, _)| key.value().to_vec());
    key.filter(|key| key.starts_with(&table_id.to_be_bytes()))
        .ok_or_else(|| Failure::damaged("the last tablet of a table is missing"))
}

/// Returns the end row of the previous tablet and the end row of the tablet that contains `row`.
pub(crate) fn bounds_of_row(
    records: &impl ReadRecords,
    table_id: u64,
    row: &[u8],
) -> Result<(Option<Bytes>, Option<Bytes>), Failure> {
    let tablet = key_of_row(records, table_id, row)?;
    Ok((end_before(records, table_id, &tablet)?, end_row(&tablet)?))
}

/// The changes of the tablet counts by a commit. They are gathered first, so that many rows of one
/// tablet cost one write.
#[derive(Debug, Default)]
pub(crate) struct CountChanges(BTreeMap<Vec<u8>, i64>);

impl CountChanges {
    pub(crate) fn add(&mut self, record_key: Vec<u8>, entries: i64) {
        *self.0.entry(record_key).or_default() += entries;
    }

    pub(crate) fn apply(self, records: &mut Records<'_>) -> Result<(), Failure> {
        for (key, change) in self.0.into_iter().filter(|(_, change)| *change != 0) {
            let count = records.get(key.as_slice())?.map(|count| count.value());
            let count = count.and_then(|count| count.checked_add_signed(change));
            let count = count.ok_or_else(|| Failure::damaged("the count of a tablet is wrong"))?;
            records.insert(key.as_slice(), count)?;
        }
        Ok(())
    }
}

/// Adds split points. Counts entries only if a tablet with entries is split, and not in the last
/// part of the tablet.
pub(crate) fn split(
    transaction: &WriteTransaction,
    table_id: u64,
    splits: &BTreeSet<Bytes>,
) -> Result<(), Failure> {
    let mut records = transaction.open_table(TABLETS)?;
    let mut rest = splits.iter().peekable();
    while let Some(first) = rest.next() {
        let tablet = key_of_row(&records, table_id, first)?;
        let end = end_row(&tablet)?;
        if end.as_ref() == Some(first) {
            continue;
        }
        let mut inside = vec![first];
        while let Some(next) = rest.next_if(|next| end.as_ref().is_none_or(|end| *next < end)) {
            inside.push(next);
        }
        split_tablet(transaction, &mut records, table_id, &tablet, &inside)?;
    }
    Ok(())
}

fn split_tablet(
    transaction: &WriteTransaction,
    records: &mut Records<'_>,
    table_id: u64,
    tablet: &[u8],
    inside: &[&Bytes],
) -> Result<(), Failure> {
    let mut left = records.get(tablet)?.map_or(0, |count| count.value());
    let name = cells_name(table_id);
    let cells = transaction.open_table(CellsDefinition::new(&name))?;
    let mut previous = end_before(records, table_id, tablet)?;
    for &split in inside {
        let count = match left {
            0 => 0,
            _ => count(&cells, &Span::tablet(previous.as_deref(), Some(split)))?,
        };
        left = left
            .checked_sub(count)
            .ok_or_else(|| Failure::damaged("the count of a tablet is wrong"))?;
        records.insert(record_key(table_id, Some(split)).as_slice(), count)?;
        previous = Some(split.clone());
    }
    records.insert(tablet, left)?;
    Ok(())
}

/// Removes the split points strictly between two rows. Adds up the counts without counting entries.
pub(crate) fn merge(
    transaction: &WriteTransaction,
    table_id: u64,
    start: Option<&[u8]>,
    end: Option<&[u8]>,
) -> Result<(), Failure> {
    let mut records = transaction.open_table(TABLETS)?;
    // No split point is empty, so the empty row sorts before all of them.
    let mut from = record_key(table_id, Some(start.unwrap_or_default()));
    from.push(0);
    let to = record_key(table_id, end);
    if from >= to {
        return Ok(());
    }
    let mut merged = 0_u64;
    let mut last = None;
    for record in
        records.extract_from_if::<&[u8], _>(from.as_slice()..to.as_slice(), |_, _| true)?
    {
        let (key, count) = record?;
        merged = merged.saturating_add(count.value());
        last = Some(key.value().to_vec());
    }
    if let Some(last) = last {
        let row = end_row(&last)?.unwrap_or_default();
        let mut changes = CountChanges::default();
        let into = key_of_row(&records, table_id, &row)?;
        changes.add(into, i64::try_from(merged).unwrap_or(i64::MAX));
        changes.apply(&mut records)?;
    }
    Ok(())
}

fn end_before(
    records: &impl ReadRecords,
    table_id: u64,
    tablet: &[u8],
) -> Result<Option<Bytes>, Failure> {
    let first = table_id.to_be_bytes();
    let mut before = records.range::<&[u8]>(first.as_slice()..tablet)?;
    match before.next_back().transpose()? {
        Some((key, _)) => end_row(key.value()),
        None => Ok(None),
    }
}

fn count(cells: &impl Cells, span: &Span) -> Result<u64, Failure> {
    let from = key::bound(span.start().as_ref());
    let to = span.end().map(|end| key::bound(end.as_ref()));
    let mut count = 0;
    for entry in cells.entries(&from, to.as_deref())? {
        entry?;
        count += 1;
    }
    Ok(count)
}

fn record_key(table_id: u64, end_row: Option<&[u8]>) -> Vec<u8> {
    let id = table_id.to_be_bytes();
    match end_row {
        Some(row) => [id.as_slice(), &[ENDS_AT_ROW], row].concat(),
        None => [id.as_slice(), &[LAST]].concat(),
    }
}

fn end_row(record_key: &[u8]) -> Result<Option<Bytes>, Failure> {
    match record_key.get(8..).unwrap_or_default() {
        [ENDS_AT_ROW, row @ ..] => Ok(Some(Bytes::copy_from_slice(row))),
        [LAST] => Ok(None),
        _ => Err(Failure::damaged("the end of a tablet cannot be read")),
    }
}
