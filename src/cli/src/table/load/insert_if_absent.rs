//! Rows that are written only if they are absent.
//!
//! Each row is a conditional mutation. If two writers race, one is accepted and the other sees a
//! conflict.
//!
//! If an outcome is unknown, the same conditional write is sent once more. If the second write is
//! accepted, the row was absent and is ours; if the first write still arrives later, its condition
//! fails. If the second is rejected, the row exists, and it is impossible to know whether the first
//! write created it. Such rows are counted separately.
//!
//! If rows may be written in an earlier design, their earlier keys are checked first. A row that is
//! moved meanwhile is written under its new key before it is deleted under the old one, so one of
//! the two checks finds it.

use std::collections::HashMap;

use fluo_recipes::{KeyMigration, MigrationError};
use fluo_table::{Bytes, Condition, ConditionalMutation, Mutation, Outcome, Result, Table};

/// The outcomes of the rows of one write.
#[derive(Debug, Default)]
pub(super) struct Created {
    /// Number of rows that were absent and are written.
    pub(super) written: u64,
    /// Rows that already exist, and were not written.
    pub(super) conflicts: Vec<Conflict>,
    /// Rows that exist, written by this load or before it.
    pub(super) unsure: Vec<Conflict>,
    /// Number of rows that may have been written, or may still be.
    pub(super) unknown: u64,
    /// The first failure.
    pub(super) failure: Option<anyhow::Error>,
}

/// A row that already exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Conflict {
    /// The number of its input line.
    pub(crate) line: u64,
    /// The key under which it exists.
    pub(crate) key: Bytes,
}

/// Writes the rows that are absent. If there are earlier designs, a row must also be absent under
/// its keys in those. The mutations belong to consecutive lines.
pub(super) async fn create(
    table: &dyn Table,
    epochs: Option<&KeyMigration>,
    first_line: u64,
    mutations: Vec<Mutation>,
) -> Created {
    let mut created = Created::default();
    let mut rows: Vec<_> = (first_line..).zip(mutations).collect();
    if let Some(epochs) = epochs {
        match in_older_places(table, epochs, &rows).await {
            Err(error) => {
                created.failure = Some(error);
                return created;
            }
            Ok(found) => {
                rows.retain(|(line, _)| !found.contains_key(line));
                let conflicts = found.into_iter();
                created.conflicts = conflicts
                    .map(|(line, key)| Conflict { line, key })
                    .collect();
            }
        }
    }
    let unanswered = match outcomes(table, &rows).await {
        // The call failed as a whole, so it wrote nothing.
        Err(error) => {
            created.failure = Some(error.into());
            return created;
        }
        Ok(outcomes) => created.take(rows, outcomes),
    };
    if unanswered.is_empty() || created.failure.is_some() {
        created.unknown += u64::try_from(unanswered.len()).unwrap_or(u64::MAX);
        return created;
    }
    let mut again = Created::default();
    match outcomes(table, &unanswered).await {
        // The first outcomes remain unknown.
        Err(error) => {
            created.unknown += u64::try_from(unanswered.len()).unwrap_or(u64::MAX);
            created.failure = Some(error.into());
        }
        Ok(outcomes) => {
            let still = again.take_last(unanswered, outcomes);
            created.written += again.written;
            created.unsure = again.conflicts;
            created.unknown += still;
            created.failure = again.failure;
        }
    }
    created
}

/// Returns the keys of rows that exist in an earlier design, by line.
async fn in_older_places(
    table: &dyn Table,
    epochs: &KeyMigration,
    rows: &[(u64, Mutation)],
) -> anyhow::Result<HashMap<u64, Bytes>> {
    let Some((_, first)) = rows.first() else {
        return Ok(HashMap::new());
    };
    let columns: Vec<_> = first
        .updates
        .iter()
        .map(|update| update.column.clone())
        .collect();
    let of_users = rows
        .iter()
        .map(|(_, mutation)| epochs.decode_key(&mutation.row));
    let of_users: Vec<_> = of_users.collect::<Result<_, _>>()?;
    let found = epochs.find_in_old_designs(table, &of_users, &columns).await;
    let found = found.map_err(|error| match error {
        // The exit code depends on the table's error.
        MigrationError::Table(error) => anyhow::Error::from(error),
        other => other.into(),
    })?;
    let found = rows.iter().zip(found);
    Ok(found
        .filter_map(|((line, _), key)| Some((*line, key?)))
        .collect())
}

async fn outcomes(table: &dyn Table, rows: &[(u64, Mutation)]) -> Result<Vec<Outcome>> {
    let conditional = |(_, mutation): &(u64, Mutation)| ConditionalMutation {
        conditions: absent(mutation),
        mutation: mutation.clone(),
    };
    table
        .write_conditional(rows.iter().map(conditional).collect())
        .await
}

fn absent(mutation: &Mutation) -> Vec<Condition> {
    let columns = mutation.updates.iter().map(|update| &update.column);
    columns.cloned().map(Condition::absent).collect()
}

impl Created {
    /// Counts the outcomes, and returns the rows whose outcome is unknown.
    fn take(&mut self, rows: Vec<(u64, Mutation)>, outcomes: Vec<Outcome>) -> Vec<(u64, Mutation)> {
        let mut unanswered = Vec::new();
        for ((line, mutation), outcome) in rows.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Accepted => self.written += 1,
                Outcome::Rejected => self.conflicts.push(Conflict {
                    line,
                    key: mutation.row,
                }),
                Outcome::ConstraintViolation(error) => {
                    self.failure.get_or_insert(error.into());
                }
                Outcome::Unknown(_) => unanswered.push((line, mutation)),
            }
        }
        unanswered
    }

    /// Counts the final outcomes, and returns the number of those that remain unknown.
    fn take_last(&mut self, rows: Vec<(u64, Mutation)>, outcomes: Vec<Outcome>) -> u64 {
        let unknown = outcomes.iter().find_map(|outcome| match outcome {
            Outcome::Unknown(error) => Some(error.clone()),
            _ => None,
        });
        let still = self.take(rows, outcomes);
        if let Some(error) = unknown {
            self.failure.get_or_insert(error.into());
        }
        u64::try_from(still.len()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fluo_table::{Authorizations, Column, MemoryTables, TableAdmin, Versions};
    use fluo_tests::{Fault, FaultyTables};

    use super::*;

    fn rows(rows: &[&'static str]) -> Vec<Mutation> {
        let put = |row: &&'static str| Mutation::new(*row).put(Column::new("row", "loaded"), "");
        rows.iter().map(put).collect()
    }

    /// Loads `a`, which exists, and `b` and `c`, with these faults of writes.
    async fn created(faults: &[(usize, Fault)]) -> Created {
        let mut tables = FaultyTables::new(Arc::new(MemoryTables::new()));
        for &(n, fault) in faults {
            // Write 0 creates `a` before the load.
            tables = tables.fail_write(n + 1, fault);
        }
        tables.create_table("t", Versions::default()).await.unwrap();
        let table = tables
            .open_table("t", Authorizations::none())
            .await
            .unwrap();
        table.write(rows(&["a"])).await.unwrap();
        create(&*table, None, 5, rows(&["a", "b", "c"])).await
    }

    fn lines(conflicts: &[Conflict]) -> Vec<u64> {
        conflicts.iter().map(|conflict| conflict.line).collect()
    }

    #[tokio::test]
    async fn reports_existing_rows_as_conflicts_with_their_line() {
        let created = created(&[]).await;
        assert_eq!((created.written, created.unknown), (2, 0));
        assert_eq!(lines(&created.conflicts), [5]);
        assert_eq!(created.conflicts[0].key, "a");
        assert!(created.unsure.is_empty() && created.failure.is_none());
    }

    #[tokio::test]
    async fn repeats_a_lost_write_and_counts_unsure_rows_after_a_lost_answer() {
        let lost = created(&[(0, Fault::Lost)]).await;
        assert_eq!((lost.written, lost.unknown), (2, 0));
        assert_eq!(lines(&lost.unsure), [5]);
        assert!(lost.conflicts.is_empty() && lost.failure.is_none());

        let unheard = created(&[(0, Fault::After)]).await;
        assert_eq!((unheard.written, unheard.unknown), (0, 0));
        assert_eq!(lines(&unheard.unsure), [5, 6, 7]);
        assert!(unheard.failure.is_none());
    }

    #[tokio::test]
    async fn fails_if_the_outcome_is_unknown_twice() {
        let refused = created(&[(0, Fault::Before)]).await;
        assert_eq!((refused.written, refused.unknown), (0, 0));
        assert!(refused.failure.is_some());
        for second in [Fault::Before, Fault::Lost, Fault::After] {
            let created = created(&[(0, Fault::Lost), (1, second)]).await;
            assert_eq!((created.written, created.unknown), (0, 3), "{second:?}");
            assert!(created.failure.is_some(), "{second:?}");
        }
    }
}
