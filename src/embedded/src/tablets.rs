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

use crate::engine::{Cells, Read, Transaction, keys_of, number};
use crate::error::Failure;
use crate::key;

const ENDS_AT_ROW: u8 = 0x00;
const LAST: u8 = 0x01;

/// The end row of a tablet, and the number of entries stored in it.
pub(crate) type Counted = (Option<Bytes>, u64);

pub(crate) fn create(transaction: &mut Transaction<'_>, table_id: u64) -> Result<(), Failure> {
    put_count(transaction, &record_key(table_id, None), 0)
}

pub(crate) fn list(read: &impl Read, table_id: u64) -> Result<Vec<Counted>, Failure> {
    let keys = keys_of(table_id);
    let mut rows = Vec::new();
    let mut counted = Vec::new();
    for record in read.entries(&read.maps().tablets, &keys.start, Some(&keys.end)) {
        let (key, count) = record?;
        let end_row = end_row(&key)?;
        rows.extend_from_slice(end_row.unwrap_or_default());
        counted.push((end_row.map(<[u8]>::len), number(&count)?));
    }
    // One buffer holds all end rows, because there can be a hundred thousand.
    let mut rows = Bytes::from(rows);
    Ok(counted.into_iter().map(|(len, count)| (len.map(|len| rows.split_to(len)), count)).collect())
}

/// The end rows of the tablets of a table, or of some of them, sorted. They are cached because a
/// search in memory costs much less than one in the records.
#[derive(Debug)]
pub(crate) struct EndRows(Vec<Bytes>);

impl EndRows {
    pub(crate) fn all(read: &impl Read, table_id: u64) -> Result<Self, Failure> {
        let tablets = list(read, table_id)?;
        Ok(Self(tablets.into_iter().filter_map(|(end, _)| end).collect()))
    }

    /// Returns the end rows from the tablet of the row `first` to the tablet of the row `last`.
    pub(crate) fn between(
        read: &impl Read,
        table_id: u64,
        first: &[u8],
        last: &[u8],
    ) -> Result<Self, Failure> {
        let from = record_key(table_id, Some(first));
        let mut ends = Vec::new();
        for record in read.entries(&read.maps().tablets, &from, Some(&keys_of(table_id).end)) {
            let (key, _) = record?;
            let end = end_row(&key)?;
            ends.extend(end.map(Bytes::copy_from_slice));
            let is_last = end.is_none_or(|end| end >= last);
            if is_last {
                break;
            }
        }
        Ok(Self(ends))
    }

    /// Returns the record key of the tablet that contains `row`.
    pub(crate) fn key_of_row(&self, table_id: u64, row: &[u8]) -> Vec<u8> {
        let tablet = self.0.partition_point(|end| end < row);
        record_key(table_id, self.0.get(tablet).map(AsRef::as_ref))
    }
}

/// Returns the record key of the tablet that contains `row`.
fn key_of_row(read: &impl Read, table_id: u64, row: &[u8]) -> Result<Vec<u8>, Failure> {
    let from = record_key(table_id, Some(row));
    let end = keys_of(table_id).end;
    match read.entries(&read.maps().tablets, &from, Some(&end)).next() {
        Some(record) => Ok(record?.0.to_vec()),
        None => Err(Failure::damaged("the last tablet of a table is missing")),
    }
}

/// Returns the end row of the previous tablet and the end row of the tablet that contains `row`.
pub(crate) fn bounds_of_row(
    read: &impl Read,
    table_id: u64,
    row: &[u8],
) -> Result<(Option<Bytes>, Option<Bytes>), Failure> {
    let tablet = key_of_row(read, table_id, row)?;
    let end = end_row(&tablet)?.map(Bytes::copy_from_slice);
    Ok((end_before(read, table_id, &tablet)?, end))
}

/// The changes of the tablet counts by a commit. They are gathered first, so that many rows of one
/// tablet cost one write.
#[derive(Debug, Default)]
pub(crate) struct CountChanges(BTreeMap<Vec<u8>, i64>);

impl CountChanges {
    pub(crate) fn add(&mut self, record_key: Vec<u8>, entries: i64) {
        *self.0.entry(record_key).or_default() += entries;
    }

    pub(crate) fn apply(self, transaction: &mut Transaction<'_>) -> Result<(), Failure> {
        for (key, change) in self.0.into_iter().filter(|(_, change)| *change != 0) {
            let count = count_of(transaction, &key)?;
            let count = count.and_then(|count| count.checked_add_signed(change));
            let count = count.ok_or_else(|| Failure::damaged("the count of a tablet is wrong"))?;
            put_count(transaction, &key, count)?;
        }
        Ok(())
    }
}

fn count_of(read: &impl Read, record_key: &[u8]) -> Result<Option<u64>, Failure> {
    read.number(&read.maps().tablets, record_key)
}

fn put_count(
    transaction: &mut Transaction<'_>,
    record_key: &[u8],
    count: u64,
) -> Result<(), Failure> {
    transaction.insert_number(&transaction.engine_maps().tablets, record_key, count)
}

/// Adds split points. Counts entries only if a tablet with entries is split, and not in the last
/// part of the tablet.
pub(crate) fn split(
    transaction: &mut Transaction<'_>,
    table_id: u64,
    splits: &BTreeSet<Bytes>,
) -> Result<(), Failure> {
    let mut rest = splits.iter().peekable();
    while let Some(first) = rest.next() {
        let tablet = key_of_row(transaction, table_id, first)?;
        let end = end_row(&tablet)?;
        if end == Some(first.as_ref()) {
            continue;
        }
        let mut inside = vec![first];
        while let Some(next) = rest.next_if(|next| end.is_none_or(|end| next.as_ref() < end)) {
            inside.push(next);
        }
        split_tablet(transaction, table_id, &tablet, &inside)?;
    }
    Ok(())
}

fn split_tablet(
    transaction: &mut Transaction<'_>,
    table_id: u64,
    tablet: &[u8],
    inside: &[&Bytes],
) -> Result<(), Failure> {
    let mut left = count_of(transaction, tablet)?.unwrap_or(0);
    let cells = transaction.engine_maps().cells(table_id);
    let mut previous = end_before(transaction, table_id, tablet)?;
    for &split in inside {
        let count = match &cells {
            Some(cells) if left > 0 => {
                count(transaction, cells, &Span::tablet(previous.as_deref(), Some(split)))?
            }
            _ => 0,
        };
        left = left
            .checked_sub(count)
            .ok_or_else(|| Failure::damaged("the count of a tablet is wrong"))?;
        put_count(transaction, &record_key(table_id, Some(split)), count)?;
        previous = Some(split.clone());
    }
    put_count(transaction, tablet, left)
}

/// Removes the split points strictly between two rows. Adds up the counts without counting entries.
pub(crate) fn merge(
    transaction: &mut Transaction<'_>,
    table_id: u64,
    start: Option<&[u8]>,
    end: Option<&[u8]>,
) -> Result<(), Failure> {
    let records = &transaction.engine_maps().tablets;
    // No split point is empty, so the empty row sorts before all of them.
    let mut from = record_key(table_id, Some(start.unwrap_or_default()));
    from.push(0);
    let mut merged = 0_u64;
    let mut last = None;
    for record in transaction.entries(records, &from, Some(&record_key(table_id, end))) {
        let (key, count) = record?;
        merged = merged.saturating_add(number(&count)?);
        transaction.remove(records, &key);
        last = Some(key);
    }
    if let Some(last) = last {
        let row = end_row(&last)?.unwrap_or_default();
        let mut changes = CountChanges::default();
        let into = key_of_row(transaction, table_id, row)?;
        changes.add(into, i64::try_from(merged).unwrap_or(i64::MAX));
        changes.apply(transaction)?;
    }
    Ok(())
}

fn end_before(read: &impl Read, table_id: u64, tablet: &[u8]) -> Result<Option<Bytes>, Failure> {
    let first = table_id.to_be_bytes();
    match read.entries(&read.maps().tablets, &first, Some(tablet)).next_back() {
        Some(record) => Ok(end_row(&record?.0)?.map(Bytes::copy_from_slice)),
        None => Ok(None),
    }
}

fn count(read: &impl Read, cells: &Cells, span: &Span) -> Result<u64, Failure> {
    let from = key::bound(span.start().as_ref());
    let to = span.end().map(|end| key::bound(end.as_ref()));
    let entries = |map| read.entries(map, &from, to.as_deref());
    let mut all = entries(&cells.notifications).chain(entries(&cells.others));
    all.try_fold(0, |count, entry| entry.map(|_| count + 1))
}

fn record_key(table_id: u64, end_row: Option<&[u8]>) -> Vec<u8> {
    let id = table_id.to_be_bytes();
    match end_row {
        Some(row) => [id.as_slice(), &[ENDS_AT_ROW], row].concat(),
        None => [id.as_slice(), &[LAST]].concat(),
    }
}

fn end_row(record_key: &[u8]) -> Result<Option<&[u8]>, Failure> {
    match record_key.get(8..).unwrap_or_default() {
        [ENDS_AT_ROW, row @ ..] => Ok(Some(row)),
        [LAST] => Ok(None),
        _ => Err(Failure::damaged("the end of a tablet cannot be read")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tests::engine;

    #[test]
    fn the_end_rows_of_some_tablets_locate_their_rows_as_all_do() {
        let (_directory, engine) = engine();
        let mut transaction = engine.begin().unwrap();
        for table_id in [1, 2] {
            create(&mut transaction, table_id).unwrap();
            let splits = ["b", "d", "f"].map(Bytes::from);
            split(&mut transaction, table_id, &splits.into()).unwrap();
        }
        let all = EndRows::all(&transaction, 1).unwrap();
        let rows = ["a", "b", "ba", "c", "d", "e", "f", "g"].map(str::as_bytes);
        for (index, first) in rows.iter().enumerate() {
            for last in &rows[index..] {
                let some = EndRows::between(&transaction, 1, first, last).unwrap();
                for row in rows.iter().filter(|row| (first..=last).contains(row)) {
                    let expected = key_of_row(&transaction, 1, row).unwrap();
                    assert_eq!(some.key_of_row(1, row), expected);
                    assert_eq!(all.key_of_row(1, row), expected);
                }
            }
        }
    }
}
