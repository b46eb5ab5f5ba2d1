//! The actions and the observations of the actors.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{Authorizations, Bytes, RowColumn, Timestamp};

/// Every transaction and snapshot of a run, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) stories: Vec<Story>,
}

/// One transaction, as its actor observed it.
#[derive(Debug)]
pub(super) struct Story {
    /// The kind of the actor.
    pub(super) actor: &'static str,
    pub(super) start: Timestamp,
    pub(super) reads: Vec<Seen>,
    /// The writes that it attempted; `None` is a delete.
    pub(super) writes: BTreeMap<RowColumn, Option<Bytes>>,
    /// The cells that it read under a lock.
    pub(super) locked: BTreeSet<RowColumn>,
    /// Cells whose weak observers it notified.
    pub(super) notified: BTreeSet<RowColumn>,
    /// The cell whose notification started it.
    pub(super) ran_for: Option<RowColumn>,
    pub(super) told: Told,
}

/// The result of a read: each value with the start of the transaction that wrote it.
#[derive(Debug)]
pub(super) enum Seen {
    Cell(RowColumn, Option<Version>),
    /// All cells of the rows from one to another, the second exclusive.
    Rows {
        from: Bytes,
        to: Bytes,
        cells: BTreeMap<RowColumn, Version>,
        /// The labels of the reader.
        sees: Authorizations,
    },
}

/// A value, and where the transaction began that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) start: Timestamp,
    pub(super) value: Bytes,
}

/// The outcome of a transaction according to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing yet, or it was not to be committed.
    Nothing,
    /// It committed at this timestamp, or had nothing to commit.
    Committed(Option<Timestamp>),
    /// Nothing of it was committed, and never will be.
    Failed,
    /// The outcome is unknown.
    Uncertain,
}

/// The place of a story in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoryId(usize);

impl History {
    pub(super) fn begin(&mut self, actor: &'static str, start: Timestamp) -> StoryId {
        self.stories.push(Story {
            actor,
            start,
            reads: Vec::new(),
            writes: BTreeMap::new(),
            locked: BTreeSet::new(),
            notified: BTreeSet::new(),
            ran_for: None,
            told: Told::Nothing,
        });
        StoryId(self.stories.len() - 1)
    }

    pub(super) fn with(&mut self, id: StoryId, change: impl FnOnce(&mut Story)) {
        if let Some(story) = self.stories.get_mut(id.0) {
            change(story);
        }
    }
}
