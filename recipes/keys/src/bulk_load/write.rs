//! The write of one batch, and the search for its rows under old keys (B6).

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use fluo_table::{
    Bytes, Column, Condition, ConditionalMutation, Error, ErrorKind, Outcome, Scan, Span, Table,
};
use futures_util::TryStreamExt;

use super::input::Row;
use super::report::{BulkLoadReport, ExistingRow, Failure};
use crate::number::count;

/// Cells per read: few, because the size of their values is unknown.
const BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The result of the write of one batch.
pub(super) struct Written {
    /// The number of rows in the batch.
    pub(super) rows: u64,
    pub(super) counts: BulkLoadReport,
    pub(super) failure: Option<Failure>,
}

pub(super) async fn write(table: &dyn Table, rows: Vec<Row>, insert_only: bool) -> Written {
    let ended_bytes = rows.iter().map(Row::input_bytes).sum();
    let mut counts = BulkLoadReport { ended_bytes, ..BulkLoadReport::default() };
    let (all, numbers) = (count(rows.len()), numbers(&rows));
    let cells = rows.iter().map(Row::cells).sum();
    if insert_only {
        let failure = insert(table, rows, &mut counts).await.err();
        return Written { rows: all, counts, failure };
    }
    let written = table.write(rows.into_iter().map(|row| row.mutation).collect()).await;
    match &written {
        Ok(()) => (counts.written, counts.written_cells) = (all, cells),
        Err(error) if error.kind() == ErrorKind::Uncertain => counts.unknown = all,
        Err(_) => {}
    }
    let failure = written.err().map(|error| (numbers, error.into()));
    Written { rows: all, counts, failure }
}

/// Writes the rows that do not exist (B4 to B6), and counts them. Rows whose outcome is unknown are
/// written a second time.
async fn insert(
    table: &dyn Table,
    rows: Vec<Row>,
    report: &mut BulkLoadReport,
) -> Result<(), Failure> {
    let failed = |rows: &[Row], error: Error| -> Failure { (numbers(rows), error.into()) };
    let found = find_under_old_keys(table, &rows).await.map_err(|error| failed(&rows, error))?;
    let mut absent = Vec::with_capacity(rows.len());
    for (row, found) in rows.into_iter().zip(found) {
        match found {
            Some(key) => report.existing.push(row.existing(Some(key))),
            None => absent.push(row),
        }
    }
    let mut failure = None;
    for is_repeated in [false, true] {
        let outcomes = table.write_conditional(absent.iter().map(Row::if_absent).collect()).await;
        // If the call failed as a whole, it wrote nothing. Earlier outcomes remain unknown.
        let outcomes = outcomes.map_err(|error| failed(&absent, error))?;
        let (mut unknown, mut lost) = (Vec::new(), None);
        for (row, outcome) in absent.into_iter().zip(outcomes) {
            let (number, cells) = (row.number, row.cells());
            match outcome {
                Outcome::Accepted => {
                    report.written += 1;
                    report.written_cells += cells;
                }
                Outcome::Rejected if is_repeated => report.unsure.push(row.existing(None)),
                Outcome::Rejected => report.existing.push(row.existing(None)),
                Outcome::ConstraintViolation(error) => {
                    failure.get_or_insert((number, error));
                }
                Outcome::Unknown(error) => {
                    lost.get_or_insert((number, error));
                    unknown.push(row);
                }
            }
        }
        absent = unknown;
        report.unknown = count(absent.len());
        failure = failure.or(lost.filter(|_| is_repeated));
        if absent.is_empty() || failure.is_some() {
            break;
        }
    }
    failure.map_or(Ok(()), |(number, error)| Err((number..=number, error.into())))
}

/// Returns, for each row, the oldest of its old keys under which one of its columns exists, or
/// `None` if there is no such key.
///
/// The search must precede the conditional write under the new key: rows move only to the newest
/// epoch (E1), so the condition of the write finds a row that moved after the search.
async fn find_under_old_keys(table: &dyn Table, rows: &[Row]) -> Result<Vec<Option<Bytes>>, Error> {
    let mut found: Vec<Option<Bytes>> = vec![None; rows.len()];
    let most = rows.iter().map(|row| row.old_keys.len()).max().unwrap_or_default();
    // Oldest first, as for readers (E2): a row may be moving from one older place to the next.
    for age in 0..most {
        let (mut spans, mut readers) = (Vec::new(), HashMap::<&Bytes, Vec<_>>::new());
        for (row, found) in rows.iter().zip(&mut found) {
            if let (Some(key), None) = (row.old_keys.get(age), &found) {
                spans.extend(row.columns().map(|column| Span::cell(key.clone(), column)));
                readers.entry(key).or_default().push((row, found));
            }
        }
        if spans.is_empty() {
            continue;
        }
        // Without a first-of-row filter: the first cell of a row may belong to another column.
        let mut batches = table.scan(Scan::over_all(spans).batch_cells(BATCH_CELLS));
        while let Some(cells) = batches.try_next().await? {
            for cell in cells {
                for (row, found) in readers.get_mut(&cell.key.row).into_iter().flatten() {
                    if row.columns().any(|own| *own == cell.key.column) {
                        **found = row.old_keys.get(age).cloned();
                    }
                }
            }
        }
    }
    Ok(found)
}

impl Row {
    fn if_absent(&self) -> ConditionalMutation {
        ConditionalMutation {
            conditions: self.columns().cloned().map(Condition::absent).collect(),
            mutation: self.mutation.clone(),
        }
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        self.mutation.updates.iter().map(|update| &update.column)
    }

    /// Returns the row as it exists under an old key or, by default, under its key.
    fn existing(self, old_key: Option<Bytes>) -> ExistingRow {
        let key = old_key.unwrap_or(self.mutation.row);
        ExistingRow { number: self.number, row: self.row, key }
    }
}

/// Returns the smallest and the largest number of rows.
fn numbers(rows: &[Row]) -> RangeInclusive<u64> {
    let numbers = || rows.iter().map(|row| row.number);
    numbers().min().unwrap_or(0)..=numbers().max().unwrap_or(0)
}
