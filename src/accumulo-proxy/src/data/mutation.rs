//! What to write.

use bytes::Bytes;

use super::IteratorSetting;

/// Updates of one row, atomic together.
///
/// ```
/// use accumulo_proxy::Mutation;
///
/// let mutation = Mutation::new("com.example").put("page", "uri", "example.com").delete("page", "draft");
/// assert_eq!(mutation.updates.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mutation {
    /// Row.
    pub row: Bytes,
    /// The updates, in their order.
    pub updates: Vec<ColumnUpdate>,
}

/// An update of one column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnUpdate {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier.
    pub qualifier: Bytes,
    /// Column visibility; none is the empty one.
    pub visibility: Option<Bytes>,
    /// Timestamp; none lets the server set it.
    pub timestamp: Option<i64>,
    /// What happens to the column.
    pub change: Change,
}

/// What an update does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Writes a value.
    Put(Bytes),
    /// Writes a delete marker: what is at or below its timestamp is gone.
    Delete,
}

/// What must hold of a column for a conditional mutation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Column family.
    pub family: Bytes,
    /// Column qualifier.
    pub qualifier: Bytes,
    /// Column visibility.
    pub visibility: Bytes,
    /// The timestamp to look at; none is the newest.
    pub timestamp: Option<i64>,
    /// The value that must be there; none demands that nothing is.
    pub value: Option<Bytes>,
    /// Iterators that the column is read through.
    pub iterators: Vec<IteratorSetting>,
}

/// Updates of one row that are made if all conditions hold, as one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConditionalMutation {
    /// Row.
    pub row: Bytes,
    /// What must hold. At least one.
    pub conditions: Vec<Condition>,
    /// The updates, in their order.
    pub updates: Vec<ColumnUpdate>,
}

/// What must have happened before a write is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// What the table says (`table.durability`).
    #[default]
    Default,
    /// Nothing.
    None,
    /// Written to the log.
    Log,
    /// Written to the log, and flushed to the file system.
    Flush,
    /// Written to the log, and synced to disk.
    Sync,
}

/// How the servers of a table set timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeType {
    /// A counter.
    Logical,
    /// Milliseconds since 1970.
    #[default]
    Millis,
}

impl Mutation {
    /// A mutation of a row, with no update yet.
    pub fn new(row: impl Into<Bytes>) -> Self {
        Self {
            row: row.into(),
            updates: Vec::new(),
        }
    }

    /// Adds a put with an empty visibility, at the time of the server.
    #[must_use]
    pub fn put(
        self,
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Self {
        self.update(ColumnUpdate::put(family, qualifier, value))
    }

    /// Adds a delete under the empty visibility, at the time of the server.
    #[must_use]
    pub fn delete(self, family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        self.update(ColumnUpdate::delete(family, qualifier))
    }

    /// Adds an update.
    #[must_use]
    pub fn update(mut self, update: ColumnUpdate) -> Self {
        self.updates.push(update);
        self
    }

    /// The same updates, made if the conditions hold.
    pub fn when(self, conditions: impl IntoIterator<Item = Condition>) -> ConditionalMutation {
        ConditionalMutation {
            row: self.row,
            conditions: conditions.into_iter().collect(),
            updates: self.updates,
        }
    }
}

impl ColumnUpdate {
    /// A put with an empty visibility, at the time of the server.
    pub fn put(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Self {
        Self::new(family, qualifier, Change::Put(value.into()))
    }

    /// A delete under the empty visibility, at the time of the server.
    pub fn delete(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self::new(family, qualifier, Change::Delete)
    }

    /// The same update under another visibility.
    #[must_use]
    pub fn with_visibility(self, visibility: impl Into<Bytes>) -> Self {
        Self {
            visibility: Some(visibility.into()),
            ..self
        }
    }

    /// The same update at a time.
    #[must_use]
    pub fn at(self, timestamp: i64) -> Self {
        Self {
            timestamp: Some(timestamp),
            ..self
        }
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
    /// The column (under the empty visibility) has no entry.
    pub fn absent(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self::new(family, qualifier, None)
    }

    /// The newest entry of the column (under the empty visibility) has this value.
    pub fn equal(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Self {
        Self::new(family, qualifier, Some(value.into()))
    }

    /// The same condition on another visibility.
    #[must_use]
    pub fn with_visibility(self, visibility: impl Into<Bytes>) -> Self {
        Self {
            visibility: visibility.into(),
            ..self
        }
    }

    /// The same condition on the entry at one timestamp.
    #[must_use]
    pub fn at(self, timestamp: i64) -> Self {
        Self {
            timestamp: Some(timestamp),
            ..self
        }
    }

    /// Reads the column through another iterator.
    #[must_use]
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
