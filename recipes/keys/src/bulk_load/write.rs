//! The write of one batch.

use std::ops::RangeInclusive;

use fluo_table::{Bytes, Column, Condition, ConditionalMutation, Error, ErrorKind, Outcome, Table};

use super::input::Row;
use super::report::{ExistingRow, Failure, Written};
use crate::key_migration::{Sought, find_first_keys};
use crate::number::count;

pub(super) async fn put(table: &dyn Table, rows: Vec<Row>) -> Written {
    let mut written = Written::default();
    let (all, numbers) = (count(rows.len()), numbers(&rows));
    let mutations = rows.into_iter().map(|row| row.mutation).collect();
    match table.write(mutations).await {
        Ok(()) => written.written = all,
        Err(error) => {
            if error.kind() == ErrorKind::Uncertain {
                written.unknown = all;
            }
            written.failure = Some(Failure::new(numbers, error));
        }
    }
    written
}

/// Writes the rows that do not exist (B4 to B6). Rows whose outcome is unknown are written a second
/// time.
pub(super) async fn insert(table: &dyn Table, rows: Vec<Row>) -> Written {
    let mut written = Written::default();
    let all = numbers(&rows);
    let mut rows = match without_old_rows(table, rows, &mut written.existing).await {
        Ok(rows) => rows,
        Err(error) => {
            written.failure = Some(Failure::new(all, error));
            return written;
        }
    };
    for is_repeated in [false, true] {
        let all = numbers(&rows);
        let mutations = rows.iter().map(Row::if_absent).collect();
        let outcomes = match table.write_conditional(mutations).await {
            Ok(outcomes) => outcomes,
            // The call failed as a whole, so it wrote nothing. Earlier outcomes remain unknown.
            Err(error) => {
                written.failure = Some(Failure::new(all, error));
                break;
            }
        };
        let (mut unknown, mut lost) = (Vec::new(), None);
        for (row, outcome) in rows.into_iter().zip(outcomes) {
            let failure = |error: Error| Failure::of_row(row.number, error);
            match outcome {
                Outcome::Accepted => written.written += 1,
                Outcome::Rejected if is_repeated => written.unsure.push(row.existing()),
                Outcome::Rejected => written.existing.push(row.existing()),
                Outcome::ConstraintViolation(error) => {
                    written.failure.get_or_insert(failure(error));
                }
                Outcome::Unknown(error) => {
                    lost.get_or_insert(failure(error));
                    unknown.push(row);
                }
            }
        }
        rows = unknown;
        written.unknown = count(rows.len());
        if rows.is_empty() || written.failure.is_some() {
            break;
        }
        if is_repeated {
            written.failure = lost;
            break;
        }
    }
    written
}

/// Returns the rows that do not exist under an earlier key, and adds the others to `existing`.
async fn without_old_rows(
    table: &dyn Table,
    rows: Vec<Row>,
    existing: &mut Vec<ExistingRow>,
) -> Result<Vec<Row>, Error> {
    let sought: Vec<_> = rows.iter().map(Row::sought).collect();
    let found = find_first_keys(table, &sought).await?;
    let mut absent = Vec::with_capacity(rows.len());
    for (row, found) in rows.into_iter().zip(found) {
        match found {
            Some(key) => existing.push(row.existing_under(key)),
            None => absent.push(row),
        }
    }
    Ok(absent)
}

impl Row {
    fn sought(&self) -> Sought<'_> {
        Sought { keys: &self.old_keys, columns: self.columns().collect() }
    }

    /// Returns its mutation, on the condition that its columns are absent.
    fn if_absent(&self) -> ConditionalMutation {
        ConditionalMutation {
            conditions: self.columns().cloned().map(Condition::absent).collect(),
            mutation: self.mutation.clone(),
        }
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.mutation.updates.iter().map(|update| &update.column)
    }

    fn existing(self) -> ExistingRow {
        let key = self.mutation.row.clone();
        self.existing_under(key)
    }

    fn existing_under(self, key: Bytes) -> ExistingRow {
        ExistingRow { number: self.number, row: self.row, key }
    }
}

/// Returns the numbers of the first and the last row. Those of a batch are consecutive.
fn numbers(rows: &[Row]) -> RangeInclusive<u64> {
    let number = |row: Option<&Row>| row.map_or(0, |row| row.number);
    number(rows.first())..=number(rows.last())
}
