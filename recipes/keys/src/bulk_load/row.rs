//! A row of a load, with its keys.

use std::ops::RangeInclusive;

use fluo_table::{Bytes, Column, Condition, ConditionalMutation, Mutation};

use super::report::ExistingRow;
use crate::key_migration::Sought;

/// A row of the input.
#[derive(Debug)]
pub(super) struct Row {
    /// Its number, from 1.
    pub(super) number: u64,
    pub(super) row: Bytes,
    /// The earlier keys under which it may exist, oldest first. Empty unless the load is
    /// insert-only.
    pub(super) old_keys: Vec<Bytes>,
    /// The mutation of its key.
    pub(super) mutation: Mutation,
}

impl Row {
    /// Returns the places in which it may exist under an earlier key.
    pub(super) fn sought(&self) -> Sought<'_> {
        Sought {
            keys: &self.old_keys,
            columns: self.columns().collect(),
        }
    }

    /// Returns its mutation, on the condition that its columns are absent.
    pub(super) fn if_absent(&self) -> ConditionalMutation {
        ConditionalMutation {
            conditions: self.columns().cloned().map(Condition::absent).collect(),
            mutation: self.mutation.clone(),
        }
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.mutation.updates.iter().map(|update| &update.column)
    }

    /// Returns the row as one that exists under its key.
    pub(super) fn existing(self) -> ExistingRow {
        let key = self.mutation.row.clone();
        self.existing_under(key)
    }

    /// Returns the row as one that exists under an earlier key.
    pub(super) fn existing_under(self, key: Bytes) -> ExistingRow {
        ExistingRow {
            number: self.number,
            row: self.row,
            key,
        }
    }
}

/// Returns the numbers of the first and the last row. Those of a batch are consecutive.
pub(super) fn numbers(rows: &[Row]) -> RangeInclusive<u64> {
    let number = |row: Option<&Row>| row.map_or(0, |row| row.number);
    number(rows.first())..=number(rows.last())
}
