//! What the actors did and saw.

use std::collections::{BTreeMap, BTreeSet};

use fluo_core::{Authorizations, Bytes, RowColumn, Timestamp};

/// Every transaction and snapshot of a run, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) stories: Vec<Story>,
}

/// One transaction, as whoever ran it saw it.
#[derive(Debug)]
pub(super) struct Story {
    /// What kind of actor it was.
    pub(super) actor: &'static str,
    pub(super) start: Timestamp,
    pub(super) reads: Vec<Seen>,
    /// What it was going to write; no value is a delete.
    pub(super) writes: BTreeMap<RowColumn, Option<Bytes>>,
    /// What it read under a lock.
    pub(super) locked: BTreeSet<RowColumn>,
    /// Cells whose weak observers it notified.
    pub(super) notified: BTreeSet<RowColumn>,
    /// The cell whose notification started it.
    pub(super) ran_for: Option<RowColumn>,
    pub(super) told: Told,
}

/// What was read, and what was there: each value with the start of the transaction that had written it.
#[derive(Debug)]
pub(super) enum Seen {
    Cell(RowColumn, Option<Version>),
    /// All cells of the rows from one to another, the second exclusive.
    Rows {
        from: Bytes,
        to: Bytes,
        cells: BTreeMap<RowColumn, Version>,
        /// The labels of whoever read.
        sees: Authorizations,
    },
}

/// A value, and where the transaction began that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) start: Timestamp,
    pub(super) value: Bytes,
}

/// What the engine said of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing yet, or it was not to be committed.
    Nothing,
    /// It committed at this timestamp, or had nothing to commit.
    Committed(Option<Timestamp>),
    /// Nothing of it was committed, and never will be.
    Failed,
    /// Nobody can tell.
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
