//! Mutations, conditions and outcomes.

use bytes::Bytes;

use super::IteratorSetting;
use crate::error::Error;

/// Updates of one row, which are applied atomically.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::Mutation;
///
/// let mutation = Mutation::new("com.example")
///     .put("page", "uri", "example.com")
///     .delete("page", "draft");
/// assert_eq!(mutation.updates.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Mutation {
    /// Row.
    pub row: Bytes,
    /// The updates, in the order of application.
    pub updates: Vec<ColumnUpdate>,
}

/// An update of one column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct ColumnUpdate {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier.
    pub qualifier: Bytes,
    /// Column visibility; `None` for the empty visibility.
    pub visibility: Option<Bytes>,
    /// Timestamp; `None` if the server sets it.
    pub timestamp: Option<i64>,
    /// The change to the column.
    pub change: Change,
}

/// The effect of an update.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// A new value.
    Put(Bytes),
    /// A delete marker, which hides the entries at and below its timestamp.
    Delete,
}

/// A condition on a column for a conditional mutation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Condition {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier.
    pub qualifier: Bytes,
    /// Column visibility.
    pub visibility: Bytes,
    /// The timestamp to check; `None` for the newest entry.
    pub timestamp: Option<i64>,
    /// The required value; `None` if the column must have no entry.
    pub value: Option<Bytes>,
    /// Iterators for reading the column.
    pub iterators: Vec<IteratorSetting>,
}

/// Updates of one row that are applied atomically if all conditions hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConditionalMutation {
    /// Row.
    pub row: Bytes,
    /// The conditions. At least one.
    pub conditions: Vec<Condition>,
    /// The updates, in the order of application.
    pub updates: Vec<ColumnUpdate>,
}

/// The outcome of a conditional mutation.
#[derive(Clone, Debug)]
#[must_use]
pub enum ConditionalOutcome {
    /// The conditions held, and the updates are written.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// The conditions held, but a constraint of the table forbids the updates; nothing was written.
    ConstraintViolation,
    /// A condition has a visibility that the authorizations of the writer do not include; nothing
    /// was written.
    InvisibleVisibility,
    /// The mutation may be written or not: read before you decide. Contains the error of the call,
    /// or `None` if Accumulo itself reported the outcome as unknown.
    Unknown(Option<Error>),
}

/// The point at which a write is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// As the table is configured (`table.durability`).
    #[default]
    Default,
    /// Immediately, without waiting for the log.
    None,
    /// After the write is logged.
    Log,
    /// After the write is logged and flushed to the file system.
    Flush,
    /// After the write is logged and synced to disk.
    Sync,
}

/// The timestamps that the servers of a table set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeType {
    /// A counter.
    Logical,
    /// Milliseconds since 1970.
    #[default]
    Millis,
}

impl Mutation {
    /// Creates a mutation of a row without updates.
    pub fn new(row: impl Into<Bytes>) -> Self {
        Self { row: row.into(), updates: Vec::new() }
    }

    /// Adds a put with an empty visibility. The server sets the timestamp.
    pub fn put(
        self,
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Self {
        self.update(ColumnUpdate::put(family, qualifier, value))
    }

    /// Adds a delete with an empty visibility. The server sets the timestamp.
    pub fn delete(self, family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        self.update(ColumnUpdate::delete(family, qualifier))
    }

    /// Adds an update.
    pub fn update(mut self, update: ColumnUpdate) -> Self {
        self.updates.push(update);
        self
    }

    /// Makes the updates conditional on these conditions.
    pub fn when(self, conditions: impl IntoIterator<Item = Condition>) -> ConditionalMutation {
        ConditionalMutation {
            row: self.row,
            conditions: conditions.into_iter().collect(),
            updates: self.updates,
        }
    }
}

impl ColumnUpdate {
    /// Creates a put with an empty visibility. The server sets the timestamp.
    pub fn put(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Self {
        Self::new(family, qualifier, Change::Put(value.into()))
    }

    /// Creates a delete with an empty visibility. The server sets the timestamp.
    pub fn delete(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self::new(family, qualifier, Change::Delete)
    }

    /// Returns the update with another visibility.
    pub fn with_visibility(self, visibility: impl Into<Bytes>) -> Self {
        Self { visibility: Some(visibility.into()), ..self }
    }

    /// Returns the update at this timestamp.
    pub fn at(self, timestamp: i64) -> Self {
        Self { timestamp: Some(timestamp), ..self }
    }

    fn new(family: impl Into<Bytes>, qualifier: impl Into<Bytes>, change: Change) -> Self {
        Self {
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: None,
            timestamp: None,
            change,
        }
    }
}

impl Condition {
    /// Requires that the column, with an empty visibility, has no entry.
    pub fn absent(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self::new(family, qualifier, None)
    }

    /// Requires that the newest entry of the column, with an empty visibility, has this value.
    pub fn equal(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Self {
        Self::new(family, qualifier, Some(value.into()))
    }

    /// Returns the condition with another visibility.
    pub fn with_visibility(self, visibility: impl Into<Bytes>) -> Self {
        Self { visibility: visibility.into(), ..self }
    }

    /// Returns the condition for the entry at this timestamp.
    pub fn at(self, timestamp: i64) -> Self {
        Self { timestamp: Some(timestamp), ..self }
    }

    /// Adds an iterator for reading the column.
    pub fn iterator(mut self, iterator: IteratorSetting) -> Self {
        self.iterators.push(iterator);
        self
    }

    fn new(family: impl Into<Bytes>, qualifier: impl Into<Bytes>, value: Option<Bytes>) -> Self {
        Self {
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: Bytes::new(),
            timestamp: None,
            value,
            iterators: Vec::new(),
        }
    }
}

impl ConditionalOutcome {
    /// Checks whether the mutation is written for certain.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Checks whether the outcome is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}
