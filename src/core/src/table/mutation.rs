//! What is written to one row, and the conditions for it.

use crate::data::{Authorizations, Bytes, Column, Escaped, Visibility};
use crate::error::{Error, ErrorKind, Result};
use crate::table::Filter;

/// Updates of one row, applied as one.
///
/// ```
/// use fluo_core::{Column, Mutation};
///
/// let mutation = Mutation::new("p:1yl0:org.wikipedia/accumulo")
///     .put(Column::new("page", "uri"), "https://wikipedia.org/accumulo")
///     .delete(Column::new("page", "old-uri"));
/// assert_eq!(mutation.updates.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The timestamp; none asks for the time of the table.
    pub timestamp: Option<i64>,
    /// What happens to the column.
    pub change: Change,
}

/// What an update does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Adds a version with this value.
    Put(Bytes),
    /// Hides every version of the column at or below the timestamp; also one that is written later, until a
    /// compaction drops the marker.
    Delete,
}

/// A mutation that is applied only if all its conditions hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionalMutation {
    /// What is written.
    pub mutation: Mutation,
    /// What must hold, all of it; at least one, but where rows are written
    /// [together](crate::table::WriteTogether).
    pub conditions: Vec<Condition>,
}

/// What must be true of a column for a [`ConditionalMutation`] to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The column, visibility included.
    pub column: Column,
    /// The version to look at; none is the newest visible one.
    pub timestamp: Option<i64>,
    /// What the column is looked at through: the first cell that is left of it counts.
    pub filter: Filter,
    /// What it must be.
    pub expected: Expected,
}

/// What a [`Condition`] expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No visible version.
    Absent,
    /// A visible version of exactly this value.
    Value(Bytes),
}

impl Mutation {
    /// A mutation of `row`, without updates yet.
    pub fn new(row: impl Into<Bytes>) -> Self {
        Self {
            row: row.into(),
            updates: Vec::new(),
        }
    }

    /// Adds a value at the time of the table.
    #[must_use]
    pub fn put(self, column: Column, value: impl Into<Bytes>) -> Self {
        self.update(column, None, Change::Put(value.into()))
    }

    /// Adds a value at a timestamp.
    #[must_use]
    pub fn put_at(self, column: Column, timestamp: i64, value: impl Into<Bytes>) -> Self {
        self.update(column, Some(timestamp), Change::Put(value.into()))
    }

    /// Deletes a column as of the time of the table.
    ///
    /// A put at the same time, as one that follows at once may get, stays hidden (rule T6).
    #[must_use]
    pub fn delete(self, column: Column) -> Self {
        self.update(column, None, Change::Delete)
    }

    /// Deletes the versions of a column at or below a timestamp.
    #[must_use]
    pub fn delete_at(self, column: Column, timestamp: i64) -> Self {
        self.update(column, Some(timestamp), Change::Delete)
    }

    /// Makes the mutation depend on a first condition.
    pub fn when(self, condition: Condition) -> ConditionalMutation {
        ConditionalMutation {
            mutation: self,
            conditions: vec![condition],
        }
    }

    /// Bytes that the mutation takes when it is stored: for each update the row, the column, the value and
    /// [`ENTRY_BYTES`](Self::ENTRY_BYTES). What a table's limit is held against.
    pub fn size_bytes(&self) -> usize {
        let of_update = |update: &Update| self.row.len() + update.size_bytes() + Self::ENTRY_BYTES;
        self.updates.iter().map(of_update).sum()
    }

    /// Bytes of an entry beside its row, column and value: timestamp, kind, and the ends of four parts.
    pub const ENTRY_BYTES: usize = 8 + 1 + 4 * 2;

    /// Checks what rule T8 says of a mutation.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid): no updates, or an update whose visibility is not an expression.
    pub fn check(&self) -> Result<()> {
        if self.updates.is_empty() {
            return Err(Error::invalid(format!(
                "the mutation of row `{}` has no updates; a mutation needs at least one",
                Escaped(&self.row)
            )));
        }
        self.updates
            .iter()
            .try_for_each(|update| check_visibility(&self.row, &update.column).map(|_| ()))
    }

    fn update(mut self, column: Column, timestamp: Option<i64>, change: Change) -> Self {
        self.updates.push(Update {
            column,
            timestamp,
            change,
        });
        self
    }
}

impl Update {
    fn size_bytes(&self) -> usize {
        let value = match &self.change {
            Change::Put(value) => value.len(),
            Change::Delete => 0,
        };
        self.column.size_bytes() + value
    }
}

impl ConditionalMutation {
    /// Adds a condition.
    #[must_use]
    pub fn and(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Bytes of the mutation, and of the columns and expected values of its conditions.
    pub fn size_bytes(&self) -> usize {
        let of_conditions: usize = self.conditions.iter().map(Condition::size_bytes).sum();
        self.mutation.size_bytes() + of_conditions
    }

    /// Checks what rules T8 and T10 say of a conditional mutation by a handle with these authorizations.
    ///
    /// # Errors
    /// As [`Mutation::check`]; and [`Invalid`](ErrorKind::Invalid) without conditions, or with one on a column
    /// that the handle may not see.
    pub fn check(&self, authorizations: &Authorizations) -> Result<()> {
        let row = &self.mutation.row;
        if self.conditions.is_empty() {
            return Err(Error::invalid(format!(
                "the conditional mutation of row `{}` has no conditions; write it unconditionally instead",
                Escaped(row)
            )));
        }
        self.check_parts(authorizations)
    }

    /// Checks what rules T8 and T10 say of mutations that are written together by a handle with these authorizations.
    ///
    /// # Errors
    /// As [`check`](Self::check), but that one of the mutations with conditions is enough.
    pub fn check_together(mutations: &[Self], authorizations: &Authorizations) -> Result<()> {
        if mutations
            .iter()
            .all(|mutation| mutation.conditions.is_empty())
        {
            return Err(Error::invalid(
                "none of the mutations that are to be written together has a condition; at least one needs one, and \
                 what needs none is written without",
            ));
        }
        mutations
            .iter()
            .try_for_each(|mutation| mutation.check_parts(authorizations))
    }

    fn check_parts(&self, authorizations: &Authorizations) -> Result<()> {
        let row = &self.mutation.row;
        for condition in &self.conditions {
            check_seen(row, &condition.column, authorizations)?;
            check_filter(row, condition)?;
        }
        self.mutation.check()
    }
}

impl Condition {
    /// The column has no visible version.
    pub fn absent(column: Column) -> Self {
        Self {
            column,
            timestamp: None,
            filter: Filter::None,
            expected: Expected::Absent,
        }
    }

    /// The newest visible version of the column has this value.
    pub fn value(column: Column, value: impl Into<Bytes>) -> Self {
        Self {
            column,
            timestamp: None,
            filter: Filter::None,
            expected: Expected::Value(value.into()),
        }
    }

    /// The same condition on the version of exactly this timestamp.
    #[must_use]
    pub fn at(mut self, timestamp: i64) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// The same condition on what a filter of transactions shows first of the column.
    ///
    /// ```
    /// use fluo_core::{Column, Condition, Filter, Prewrite, Timestamp};
    ///
    /// // Nothing stands in the way of a lock on the cell.
    /// let prewrite = Prewrite { start: Timestamp::ZERO, is_read_lock: false, acknowledged_after: None };
    /// let free = Condition::absent(Column::new("page", "uri")).through(Filter::Prewrite(prewrite));
    /// assert_eq!(free.filter, Filter::Prewrite(prewrite));
    /// ```
    #[must_use]
    pub fn through(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    fn size_bytes(&self) -> usize {
        let expected = match &self.expected {
            Expected::Absent => 0,
            Expected::Value(value) => value.len(),
        };
        self.column.size_bytes() + expected + Mutation::ENTRY_BYTES
    }

    /// Whether `found`, the value that the table has, is what is expected.
    pub fn holds(&self, found: Option<&[u8]>) -> bool {
        match &self.expected {
            Expected::Absent => found.is_none(),
            Expected::Value(value) => found == Some(value.as_ref()),
        }
    }
}

fn check_visibility(row: &[u8], column: &Column) -> Result<Visibility> {
    Visibility::parse(&column.visibility).map_err(|error| {
        let message = format!("row `{}`, column `{column}`: {error}", Escaped(row));
        Error::with_source(ErrorKind::Invalid, message, error)
    })
}

fn check_seen(row: &[u8], column: &Column, authorizations: &Authorizations) -> Result<()> {
    if check_visibility(row, column)?.is_visible_to(authorizations) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "row `{}`, column `{column}`: a condition on a column that this handle may not see cannot be checked; \
         open the table with authorizations for it",
        Escaped(row)
    )))
}

/// A filter looks at a column as a whole, so there is no version to name; and not every filter is of columns.
fn check_filter(row: &[u8], condition: &Condition) -> Result<()> {
    let Condition { column, filter, .. } = condition;
    let what_is_wrong = match filter {
        Filter::None => return Ok(()),
        Filter::FirstOfRow => "the filter of the first cell of a row is not of one column",
        _ if condition.timestamp.is_some() => {
            "through a filter there is no version to look at; leave the timestamp out"
        }
        filter if !filter.looks_at_family(&column.family) => {
            "the filter does not look at this family: notifications have one of their own"
        }
        _ => return Ok(()),
    };
    Err(Error::invalid(format!(
        "row `{}`, column `{column}`: a condition that cannot be checked: {what_is_wrong}",
        Escaped(row)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Timestamp;

    #[test]
    fn a_mutation_without_updates_is_refused() {
        let message = Mutation::new("r\n").check().unwrap_err().to_string();
        assert_eq!(
            message,
            r"the mutation of row `r\x0a` has no updates; a mutation needs at least one"
        );
    }

    #[test]
    fn the_size_is_what_is_stored() {
        let many = (0..10).fold(Mutation::new(vec![b'r'; 1_000]), |mutation, n| {
            mutation.put_at(Column::default(), n, "")
        });
        assert_eq!(many.size_bytes(), 10 * (1_000 + Mutation::ENTRY_BYTES));
        let size = many.size_bytes();
        let column = Column::new("f", "q").with_visibility("A");
        let conditional = many.when(Condition::value(column, vec![0; 500]));
        assert_eq!(
            conditional.size_bytes(),
            size + 3 + 500 + Mutation::ENTRY_BYTES
        );
    }

    #[test]
    fn a_conditional_mutation_without_conditions_is_refused() {
        let mutation = Mutation::new("r").put(Column::new("f", "q"), "v");
        let message = ConditionalMutation {
            mutation,
            conditions: vec![],
        }
        .check(&Authorizations::none())
        .unwrap_err()
        .to_string();
        assert_eq!(
            message,
            "the conditional mutation of row `r` has no conditions; write it unconditionally instead"
        );
    }

    #[test]
    fn of_mutations_that_are_written_together_one_has_a_condition() {
        let mutation = || Mutation::new("r").put(Column::new("f", "q"), "v");
        let without = ConditionalMutation {
            mutation: mutation(),
            conditions: Vec::new(),
        };
        let with = mutation().when(Condition::absent(Column::new("f", "q")));
        let none = Authorizations::none();
        let check = |mutations: &[_]| ConditionalMutation::check_together(mutations, &none);
        assert!(check(&[without.clone(), with]).is_ok());
        for wrong in [&[][..], &[without.clone(), without]] {
            let error = check(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert_eq!(
                error.to_string(),
                "none of the mutations that are to be written together has a condition; at least one needs one, and \
                 what needs none is written without"
            );
        }
    }

    #[test]
    fn a_wrong_visibility_is_refused_with_its_place() {
        let column = Column::new("f", "q").with_visibility("a&");
        let message = Mutation::new("r")
            .put(column.clone(), "v")
            .check()
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "row `r`, column `f:q [a&]`: visibility expression: at byte 2: the expression ends where a label \
             is expected"
        );
        let conditional = Mutation::new("r")
            .put(Column::new("f", "q"), "v")
            .when(Condition::absent(column));
        let error = conditional.check(&Authorizations::none()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_condition_on_what_the_handle_may_not_see_is_refused() {
        let column = Column::new("f", "q").with_visibility("A");
        let conditional = Mutation::new("r")
            .put(Column::new("f", "q"), "v")
            .when(Condition::absent(column));
        assert!(conditional.check(&Authorizations::from_iter(["A"])).is_ok());
        assert_eq!(
            conditional
                .check(&Authorizations::from_iter(["B"]))
                .unwrap_err()
                .to_string(),
            "row `r`, column `f:q [A]`: a condition on a column that this handle may not see cannot be checked; \
             open the table with authorizations for it"
        );
    }

    #[test]
    fn a_condition_through_a_filter_that_cannot_be_checked_is_refused() {
        let refusal = |condition: Condition| {
            let conditional = Mutation::new("r")
                .put(Column::new("f", "q"), "v")
                .when(condition);
            let refused = conditional.check(&Authorizations::none());
            refused.err().map(|error| error.to_string())
        };
        let on = |family: &'static str| Condition::absent(Column::new(family, "q"));
        let snapshot = Filter::Snapshot {
            at: Timestamp::ZERO,
        };
        let notifications = Filter::Notifications { share: None };
        assert_eq!(refusal(on("f").through(snapshot)), None);
        assert_eq!(refusal(on("ntfy").through(notifications)), None);
        assert_eq!(refusal(on("ntfy").at(1)), None);
        let begin =
            |family| format!("row `r`, column `{family}:q`: a condition that cannot be checked: ");
        assert_eq!(
            refusal(on("f").through(Filter::FirstOfRow)),
            Some(begin("f") + "the filter of the first cell of a row is not of one column")
        );
        assert_eq!(
            refusal(on("f").at(1).through(snapshot)),
            Some(
                begin("f")
                    + "through a filter there is no version to look at; leave the timestamp out"
            )
        );
        let other_family =
            "the filter does not look at this family: notifications have one of their own";
        assert_eq!(
            refusal(on("f").through(notifications)),
            Some(begin("f") + other_family)
        );
        assert_eq!(
            refusal(on("ntfy").through(snapshot)),
            Some(begin("ntfy") + other_family)
        );
    }
}
