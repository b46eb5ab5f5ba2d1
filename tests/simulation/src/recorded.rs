//! A transaction whose reads and writes are taken down.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fluo_engine::{CommitError, CommitInfo, Snapshot, Transaction};
use fluo_table::{
    Authorizations, Bytes, Cell, Column, Error, ErrorKind, Result, RowColumn, Scan, Span,
    Timestamp, prefix_successor,
};
use futures::stream::TryStreamExt;

use super::history::{Seen, StoryId, Told, Version};
use super::world::World;

/// Reads and writes of one transaction, taken down in the history.
#[derive(Debug)]
pub(super) struct Recorded<'a> {
    world: &'a World,
    actor: &'static str,
    tx: &'a Transaction,
    /// The cell whose notification started it.
    ran_for: Option<RowColumn>,
    /// Begun after the first read, because the start may move until then (S3).
    story: OnceLock<StoryId>,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(world: &'a World, actor: &'static str, tx: &'a Transaction) -> Self {
        Self { world, actor, tx, ran_for: None, story: OnceLock::new() }
    }

    /// Returns the place of its story in the history. Fixes the start.
    pub(super) fn story(&self) -> StoryId {
        *self.story.get_or_init(|| {
            let start = self.tx.start();
            let begins = format_args!("{} begins {start}", self.actor);
            self.world.trace.add(begins);
            let mut history = self.world.history();
            let story = history.begin(self.actor, start);
            history.with(story, |story| story.ran_for.clone_from(&self.ran_for));
            story
        })
    }

    /// A transaction that a notification started.
    pub(super) fn observing(
        world: &'a World,
        actor: &'static str,
        tx: &'a Transaction,
        row: &str,
        column: &Column,
    ) -> Self {
        let ran_for = Some(RowColumn::new(row.to_owned(), column.clone()));
        Self { ran_for, ..Self::new(world, actor, tx) }
    }

    /// Notifies the weak observer of a cell.
    pub(super) fn notify(&self, row: &str, column: &Column) -> Result<()> {
        self.tx.notify(row.to_owned(), column)?;
        let cell = RowColumn::new(row.to_owned(), column.clone());
        let story = self.story();
        self.world.history().with(story, |story| {
            story.notified.insert(cell);
        });
        Ok(())
    }

    pub(super) async fn get(&self, row: &str, column: &Column) -> Result<Option<Bytes>> {
        let found = self.tx.get_cell(row.to_owned(), column).await?;
        let cell = RowColumn::new(row.to_owned(), column.clone());
        Ok(self.saw(cell, found))
    }

    /// Reads a cell under a lock. Such a read does not return the version, so the cell is read
    /// again without a lock.
    pub(super) async fn get_locked(&self, row: &str, column: &Column) -> Result<Option<Bytes>> {
        self.tx.with_read_lock().get(row.to_owned(), column).await?;
        let cell = RowColumn::new(row.to_owned(), column.clone());
        let story = self.story();
        self.world.history().with(story, |story| {
            story.locked.insert(cell);
        });
        self.get(row, column).await
    }

    pub(super) fn set(&self, row: &str, column: &Column, value: impl Into<Bytes>) -> Result<()> {
        let value = value.into();
        self.tx.set(row.to_owned(), column, value.clone())?;
        self.wrote(row, column, Some(value));
        Ok(())
    }

    pub(super) fn delete(&self, row: &str, column: &Column) -> Result<()> {
        self.tx.delete(row.to_owned(), column)?;
        self.wrote(row, column, None);
        Ok(())
    }

    fn wrote(&self, row: &str, column: &Column, value: Option<Bytes>) {
        let cell = RowColumn::new(row.to_owned(), column.clone());
        let story = self.story();
        self.world.history().with(story, |story| {
            story.locked.remove(&cell);
            story.writes.insert(cell, value);
        });
    }

    fn saw(&self, cell: RowColumn, found: Option<Cell>) -> Option<Bytes> {
        let story = self.story();
        let version = found.map(version);
        let value = version.as_ref().map(|version| version.value.clone());
        self.world.trace.add(format_args!("{} sees {cell} = {value:?}", self.tx.start()));
        self.world.history().with(story, |story| {
            story.reads.push(Seen::Cell(cell, version));
        });
        value
    }
}

/// Takes down what the engine said of a transaction.
pub(super) fn told(world: &World, story: StoryId, result: &Result<CommitInfo, CommitError>) {
    let told = match result {
        Ok(committed) => Told::Committed(committed.commit),
        Err(error) => told_by(error),
    };
    world.history().with(story, |story| {
        story.told = told;
        world.trace.add(format_args!("{} {} receives {told:?}", story.actor, story.start));
    });
}

pub(super) fn told_by(error: &CommitError) -> Told {
    match error {
        CommitError::Failed(error) if error.kind() == ErrorKind::Uncertain => Told::Uncertain,
        _ => Told::Failed,
    }
}

/// Records the outcome of a transaction that a runner ran, like [`told`].
pub(super) fn told_error(world: &World, story: StoryId, error: &Error) {
    let told = match error.kind() {
        ErrorKind::Uncertain => Told::Uncertain,
        _ => Told::Failed,
    };
    world.history().with(story, |story| {
        story.told = told;
        world.trace.add(format_args!("{} {} receives {told:?}: {error}", story.actor, story.start));
    });
}

/// The cells of all rows with a prefix, as a snapshot shows them.
pub(super) async fn scan(
    world: &World,
    snapshot: &Snapshot,
    prefix: &str,
) -> Result<BTreeMap<RowColumn, Version>> {
    let cells: Vec<Cell> =
        snapshot.scan(Scan::over(Span::prefix(prefix.to_owned()))).try_concat().await?;
    world.trace.add(format_args!("{} sees {} cells of {prefix}", snapshot.start(), cells.len()));
    let place =
        |cell: Cell| (RowColumn::new(cell.key.row.clone(), cell.key.column.clone()), version(cell));
    Ok(cells.into_iter().map(place).collect())
}

/// Returns the record of a scan of a prefix.
pub(super) fn rows(
    prefix: &str,
    cells: BTreeMap<RowColumn, Version>,
    sees: Authorizations,
) -> Seen {
    Seen::Rows {
        from: prefix.to_owned().into(),
        to: prefix_successor(prefix.as_bytes()).unwrap_or_default(),
        cells,
        sees,
    }
}

fn version(cell: Cell) -> Version {
    let number = u64::try_from(cell.key.timestamp).unwrap_or_default();
    Version { start: Timestamp::new(number).unwrap_or(Timestamp::MAX), value: cell.value }
}
