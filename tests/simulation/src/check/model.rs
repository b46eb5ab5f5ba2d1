//! The table as it must be, at every timestamp.

use std::collections::BTreeMap;

use fluo_table::{Authorizations, Bytes, Column, RowColumn, Timestamp};

use crate::commits::Commits;
use crate::history::{History, Version};

/// Every committed version of every cell, by the time of its commit; `None` is a delete.
#[derive(Debug, Default)]
pub(super) struct Model<'h> {
    cells: BTreeMap<&'h RowColumn, BTreeMap<Timestamp, Option<Version>>>,
}

impl<'h> Model<'h> {
    pub(super) fn of(history: &'h History, commits: &Commits) -> Self {
        let mut model = Self::default();
        for story in &history.stories {
            let Some(commit) = commits.committed.get(&story.start) else { continue };
            for (cell, value) in &story.writes {
                let version = value.clone().map(|value| Version { start: story.start, value });
                model.cells.entry(cell).or_default().insert(*commit, version);
            }
        }
        model
    }

    /// Returns the version of a cell that a reader at a timestamp must see.
    pub(super) fn at(&self, cell: &RowColumn, at: Timestamp) -> Option<&Version> {
        let versions = self.cells.get(cell)?;
        versions.range(..=at).next_back().and_then(|(_, version)| version.as_ref())
    }

    /// Returns the cells of some rows that a reader at a timestamp, with these labels, must see. If
    /// `to` is empty, the rows have no end.
    pub(super) fn rows_at(
        &self,
        from: &Bytes,
        to: &Bytes,
        at: Timestamp,
        sees: &Authorizations,
    ) -> impl Iterator<Item = (&'h RowColumn, &Version)> {
        let first = RowColumn::new(from.clone(), Column::default());
        let cells = self.cells.range::<RowColumn, _>(first..).map(|(cell, _)| *cell);
        let is_seen =
            move |cell: &&'h RowColumn| sees.can_see(&cell.column.visibility).unwrap_or(false);
        cells
            .take_while(|cell| to.is_empty() || cell.row < *to)
            .filter(is_seen)
            .filter_map(move |cell| Some((cell, self.at(cell, at)?)))
    }
}
