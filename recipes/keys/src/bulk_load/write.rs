//! The write of one batch.

use fluo_table::{Error, ErrorKind, Outcome, Table};

use super::cause::Failure;
use super::report::{ExistingRow, Written};
use super::row::{Row, numbers};
use crate::key_migration::find_first_keys;
use crate::number::count;

/// Writes rows.
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

/// Writes the rows that do not exist (B4 to B6).
pub(super) async fn insert(table: &dyn Table, rows: Vec<Row>) -> Written {
    let mut written = Written::default();
    let all = numbers(&rows);
    let rows = match without_old_rows(table, rows, &mut written.existing).await {
        Ok(rows) => rows,
        Err(error) => {
            written.failure = Some(Failure::new(all, error));
            return written;
        }
    };
    let first = match Inserted::try_once(table, rows).await {
        Ok(first) => first,
        // The call failed as a whole, so it wrote nothing.
        Err(failure) => {
            written.failure = Some(failure);
            return written;
        }
    };
    written.written = first.accepted;
    written
        .existing
        .extend(first.rejected.into_iter().map(Row::existing));
    written.failure = first.violation;
    if first.unknown.is_empty() || written.failure.is_some() {
        written.unknown = count(first.unknown.len());
        return written;
    }
    let again = count(first.unknown.len());
    match Inserted::try_once(table, first.unknown).await {
        Ok(second) => {
            written.written += second.accepted;
            written.unsure = second.rejected.into_iter().map(Row::existing).collect();
            written.unknown = count(second.unknown.len());
            written.failure = second.violation.or(second.lost);
        }
        // The first outcomes remain unknown.
        Err(failure) => {
            written.unknown = again;
            written.failure = Some(failure);
        }
    }
    written
}

/// The outcomes of one conditional write.
#[derive(Default)]
struct Inserted {
    accepted: u64,
    rejected: Vec<Row>,
    unknown: Vec<Row>,
    /// The first refusal by a constraint.
    violation: Option<Failure>,
    /// The failure that made the first outcome unknown.
    lost: Option<Failure>,
}

impl Inserted {
    /// Writes each row on the condition that it does not exist.
    async fn try_once(table: &dyn Table, rows: Vec<Row>) -> Result<Self, Failure> {
        let mutations = rows.iter().map(Row::if_absent).collect();
        let outcomes = match table.write_conditional(mutations).await {
            Ok(outcomes) => outcomes,
            Err(error) => return Err(Failure::new(numbers(&rows), error)),
        };
        let mut inserted = Self::default();
        for (row, outcome) in rows.into_iter().zip(outcomes) {
            let failure = |error: Error| Failure::of_row(row.number, error);
            match outcome {
                Outcome::Accepted => inserted.accepted += 1,
                Outcome::Rejected => inserted.rejected.push(row),
                Outcome::ConstraintViolation(error) => {
                    inserted.violation.get_or_insert(failure(error));
                }
                Outcome::Unknown(error) => {
                    inserted.lost.get_or_insert(failure(error));
                    inserted.unknown.push(row);
                }
            }
        }
        Ok(inserted)
    }
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
