//! Mutations of one row, and their conditions.

use crate::data::{Authorizations, Bytes, Column, Escaped, can_see_column};
use crate::error::{Error, Result};
use crate::table::Filter;

/// Updates of one row, applied together.
///
/// # Examples
///
/// ```
/// use fluo_table::{Column, Mutation};
///
/// let mutation = Mutation::new("p:1yl0:org.wikipedia/accumulo")
///     .put(Column::new("page", "uri"), "https://wikipedia.org/accumulo")
///     .delete(Column::new("page", "old-uri"));
/// assert_eq!(mutation.updates.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Mutation {
    /// The row.
    pub row: Bytes,
    /// The updates, in the order in which they take effect.
    pub updates: Vec<Update>,
}

/// One change of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The column.
    pub column: Column,
    /// The timestamp, or `None` for the time of the table.
    pub timestamp: Option<i64>,
    /// The change.
    pub change: Change,
}

/// A change of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Adds a version with this value.
    Put(Bytes),
    /// Hides every version of the column at or below the timestamp, including versions that are
    /// written later, until a compaction drops the marker.
    Delete,
}

/// A mutation that is applied only if all its conditions hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ConditionalMutation {
    /// The updates.
    pub mutation: Mutation,
    /// The conditions, all of which must hold. There must be at least one, unless rows are written
    /// [together](crate::table::MultiRowWrite).
    pub conditions: Vec<Condition>,
}

/// A statement about a column that must be true for a [`ConditionalMutation`] to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Condition {
    /// The column, visibility included.
    pub column: Column,
    /// The timestamp of the version to check, or `None` for the newest visible one.
    pub timestamp: Option<i64>,
    /// The filter through which the column is read: the first cell that it shows is checked.
    pub filter: Filter,
    /// The expected value, or `None` if there must be no visible version.
    pub expected: Option<Bytes>,
}

impl Mutation {
    /// Creates a mutation of `row` without updates.
    pub fn new(row: impl Into<Bytes>) -> Self {
        Self { row: row.into(), updates: Vec::new() }
    }

    /// Adds a put of a value at the time of the table.
    pub fn put(self, column: impl Into<Column>, value: impl Into<Bytes>) -> Self {
        self.update(column.into(), None, Change::Put(value.into()))
    }

    /// Adds a put of a value at a timestamp.
    pub fn put_at(
        self,
        column: impl Into<Column>,
        timestamp: i64,
        value: impl Into<Bytes>,
    ) -> Self {
        self.update(column.into(), Some(timestamp), Change::Put(value.into()))
    }

    /// Adds a delete of a column at the time of the table.
    ///
    /// A put at the same timestamp stays hidden, and a put right after this may get the same
    /// timestamp (rule T6).
    pub fn delete(self, column: impl Into<Column>) -> Self {
        self.update(column.into(), None, Change::Delete)
    }

    /// Adds a delete of the versions of a column at or below a timestamp.
    pub fn delete_at(self, column: impl Into<Column>, timestamp: i64) -> Self {
        self.update(column.into(), Some(timestamp), Change::Delete)
    }

    /// Adds a first condition, which makes this a conditional mutation.
    pub fn when(self, condition: Condition) -> ConditionalMutation {
        ConditionalMutation { mutation: self, conditions: vec![condition] }
    }

    /// Returns the stored size of the mutation, in bytes: for each update the row, the column, the
    /// value and [`ENTRY_BYTES`](Self::ENTRY_BYTES). A table compares it with its limit.
    pub fn size_bytes(&self) -> usize {
        let of_update = |update: &Update| {
            let value = match &update.change {
                Change::Put(value) => value.len(),
                Change::Delete => 0,
            };
            self.row.len() + update.column.size_bytes() + value + Self::ENTRY_BYTES
        };
        self.updates.iter().map(of_update).sum()
    }

    /// The bytes of an entry in addition to its row, column and value: timestamp, kind, and the
    /// ends of four parts.
    pub const ENTRY_BYTES: usize = 8 + 1 + 4 * 2;

    /// Checks the rules of T8 for a mutation.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if there are no updates, or if the visibility of an
    /// update is not an expression.
    pub fn check(&self) -> Result<()> {
        if self.updates.is_empty() {
            return Err(Error::invalid(format!(
                "the mutation of row `{}` has no updates; a mutation needs at least one",
                Escaped(&self.row)
            )));
        }
        let any_reader = Authorizations::none();
        self.updates
            .iter()
            .try_for_each(|update| can_see_column(&any_reader, &self.row, &update.column).map(drop))
    }

    fn update(mut self, column: Column, timestamp: Option<i64>, change: Change) -> Self {
        self.updates.push(Update { column, timestamp, change });
        self
    }
}

impl From<Mutation> for ConditionalMutation {
    fn from(mutation: Mutation) -> Self {
        Self { mutation, conditions: Vec::new() }
    }
}

impl ConditionalMutation {
    /// Adds a condition.
    pub fn and(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Returns the size of the mutation, and of the columns and expected values of its conditions,
    /// in bytes.
    pub fn size_bytes(&self) -> usize {
        let of_condition = |condition: &Condition| {
            let expected = condition.expected.as_ref().map_or(0, Bytes::len);
            condition.column.size_bytes() + expected + Mutation::ENTRY_BYTES
        };
        self.mutation.size_bytes() + self.conditions.iter().map(of_condition).sum::<usize>()
    }

    /// Checks the rules of T8 and T10 for a conditional mutation of a handle with these
    /// authorizations.
    ///
    /// # Errors
    ///
    /// The same as [`Mutation::check`]; and [`Invalid`](crate::ErrorKind::Invalid) if there are no
    /// conditions, or if one is on a column that the handle may not see.
    pub fn check(&self, authorizations: &Authorizations) -> Result<()> {
        if self.conditions.is_empty() {
            return Err(Error::invalid(format!(
                "the conditional mutation of row `{}` has no conditions; write it unconditionally instead",
                Escaped(&self.mutation.row)
            )));
        }
        self.check_parts(authorizations)
    }

    /// Checks the rules of T8 and T10 for mutations that a handle with these authorizations writes
    /// together.
    ///
    /// # Errors
    ///
    /// The same as [`check`](Self::check), except that it is enough if one of the mutations has
    /// conditions.
    pub fn check_together(mutations: &[Self], authorizations: &Authorizations) -> Result<()> {
        if mutations.iter().all(|mutation| mutation.conditions.is_empty()) {
            return Err(Error::invalid(
                "none of the mutations to write together has a condition; add one, or write them \
                 without conditions",
            ));
        }
        mutations.iter().try_for_each(|mutation| mutation.check_parts(authorizations))
    }

    fn check_parts(&self, authorizations: &Authorizations) -> Result<()> {
        let row = &self.mutation.row;
        for condition in &self.conditions {
            let column = &condition.column;
            if !can_see_column(authorizations, row, column)? {
                return Err(Error::invalid(format!(
                    "row `{}`, column `{column}`: the handle may not see this column; open the table with authorizations for it",
                    Escaped(row)
                )));
            }
            check_filter(row, condition)?;
        }
        self.mutation.check()
    }
}

impl Condition {
    /// Requires that the column has no visible version.
    pub fn absent(column: Column) -> Self {
        Self::new(column, None)
    }

    /// Requires that the newest visible version of the column has this value.
    pub fn value(column: Column, value: impl Into<Bytes>) -> Self {
        Self::new(column, Some(value.into()))
    }

    fn new(column: Column, expected: Option<Bytes>) -> Self {
        Self { column, timestamp: None, filter: Filter::None, expected }
    }

    /// Applies the condition to the version with exactly this timestamp.
    pub fn at(self, timestamp: i64) -> Self {
        Self { timestamp: Some(timestamp), ..self }
    }

    /// Applies the condition to the first cell that a filter of transactions shows of the column.
    pub fn through(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Checks whether `found`, the value in the table, is the expected one.
    pub fn holds(&self, found: Option<&[u8]>) -> bool {
        found == self.expected.as_deref()
    }
}

/// Checks the filter of a condition. A filter reads a column as a whole, so no version can be
/// named; and not every filter works on columns.
fn check_filter(row: &[u8], condition: &Condition) -> Result<()> {
    let Condition { column, filter, .. } = condition;
    let what_is_wrong = match filter {
        Filter::None => return Ok(()),
        Filter::FirstOfRow => "the filter `FirstOfRow` does not work on one column",
        _ if condition.timestamp.is_some() => {
            "a condition with a filter cannot name a version; leave the timestamp out"
        }
        filter if !filter.looks_at_family(&column.family) => {
            "the filter does not look at this family; notifications have a family of their own"
        }
        _ => return Ok(()),
    };
    Err(Error::invalid(format!(
        "row `{}`, column `{column}`: the condition cannot be checked: {what_is_wrong}",
        Escaped(row)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::data::Timestamp;

    #[test]
    fn the_size_is_the_stored_size() {
        let many = (0..10).fold(Mutation::new(vec![b'r'; 1_000]), |mutation, n| {
            mutation.put_at(Column::default(), n, "")
        });
        assert_eq!(many.size_bytes(), 10 * (1_000 + Mutation::ENTRY_BYTES));
        let size = many.size_bytes();
        let column = Column::new("f", "q").with_visibility("A");
        let conditional = many.when(Condition::value(column, vec![0; 500]));
        assert_eq!(conditional.size_bytes(), size + 3 + 500 + Mutation::ENTRY_BYTES);
    }

    #[test]
    fn requires_a_condition_of_mutations_that_are_written_together() {
        let mutation = Mutation::new("r").put(Column::new("f", "q"), "v");
        let without = ConditionalMutation::from(mutation.clone());
        let with = mutation.when(Condition::absent(Column::new("f", "q")));
        let none = Authorizations::none();
        let check = |mutations: &[_]| ConditionalMutation::check_together(mutations, &none);
        assert!(check(&[without.clone(), with]).is_ok());
        for wrong in [&[][..], &[without.clone(), without]] {
            let error = check(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert_eq!(
                error.to_string(),
                "none of the mutations to write together has a condition; add one, or write them \
                 without conditions"
            );
        }
    }

    #[test]
    fn names_what_is_wrong_with_a_mutation() {
        let on = |family: &'static str| Column::new(family, "q");
        let seen_by = |visibility| on("f").with_visibility(visibility);
        let put = |column| Mutation::new("r").put(column, "v");
        let when = |condition| put(on("f")).when(condition);
        let absent = |family| Condition::absent(on(family));
        let snapshot = Filter::Snapshot { at: Timestamp::ZERO };
        let notifications = Filter::Notifications { share: None };
        let other_family =
            "the filter does not look at this family; notifications have a family of their own";
        let cannot = |family, reason| {
            format!("row `r`, column `{family}:q`: the condition cannot be checked: {reason}")
        };
        let damaged = "row `r`, column `f:q [a&]`: visibility expression: at byte 2: the expression ends where \
                       a label is expected";
        let hidden = "row `r`, column `f:q [B]`: the handle may not see this column; open the table with \
                      authorizations for it";
        for (mutation, expected) in [
            (
                Mutation::new("r\n").when(absent("f")),
                r"the mutation of row `r\x0a` has no updates; a mutation needs at least one".into(),
            ),
            (
                put(on("f")).into(),
                "the conditional mutation of row `r` has no conditions; write it unconditionally instead".into(),
            ),
            (put(seen_by("a&")).when(absent("f")), damaged.into()),
            (when(Condition::absent(seen_by("a&"))), damaged.into()),
            (when(Condition::absent(seen_by("B"))), hidden.into()),
            (
                when(absent("f").through(Filter::FirstOfRow)),
                cannot("f", "the filter `FirstOfRow` does not work on one column"),
            ),
            (
                when(absent("f").at(1).through(snapshot)),
                cannot(
                    "f",
                    "a condition with a filter cannot name a version; leave the timestamp out",
                ),
            ),
            (when(absent("f").through(notifications)), cannot("f", other_family)),
            (when(absent("ntfy").through(snapshot)), cannot("ntfy", other_family)),
        ] {
            let error = mutation.check(&Authorizations::from_iter(["A"])).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        for right in [
            Condition::absent(seen_by("A")),
            absent("f").through(snapshot),
            absent("ntfy").through(notifications),
            absent("ntfy").at(1),
        ] {
            when(right).check(&Authorizations::from_iter(["A"])).unwrap();
        }
    }
}
