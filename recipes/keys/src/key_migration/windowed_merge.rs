//! The windows of a scan over epochs (E2).
//!
//! ```text
//!  order of rows ─────────────────────────────────────────────▶
//!  epoch 0    ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│         read first, held
//!  epoch 1    ▓▓▓▓▓▓▓▓▓▓▓▓▓│                 then as far as epoch 0 was, held
//!  newest     ▒▒▒▒▒▒▒▒▒▒▒▒▒│                 then as far as epoch 1 was, yielded as it comes
//! ```
//!
//! Each epoch is read only as far as the one before it. The rows of the older epochs are held, as
//! many as memory allows; the rows of the newest are passed through. If the older epochs are empty,
//! one window is the whole scan.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, Cell, row_successor};
use futures_util::TryStreamExt;

use super::designs::KeyMigration;
use super::merging::merged;
use crate::error::RecipeError;
use crate::salted_scan::{
    Mark, MergeRequest, MergeSettings, PieceRows, RowBatch, SaltedRows, Selection, cell_bytes,
};

/// Rows of an older epoch in the first window; the number doubles with each window.
const FIRST_WINDOW_ROWS: u64 = 1_000;
const MOST_WINDOW_ROWS: u64 = 1 << 16;

/// The extent of a read, in the order of unsalted keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reached {
    /// Not started.
    Nothing,
    /// Up to this unsalted key, inclusive.
    Through(Bytes),
    /// To the end.
    All,
}

/// A scan over epochs in progress.
pub(super) struct Windows {
    epochs: KeyMigration,
    pieces: Arc<[Vec<PieceRows>]>,
    mark: Mark,
    selection: Selection,
    settings: MergeSettings,
    /// The older epochs, oldest first.
    older: Vec<Older>,
    /// The rows of the newest epoch in this window.
    newest: Option<SaltedRows>,
    /// The start of the window: all rows before it have been yielded.
    yielded: Reached,
    window_rows: u64,
    rows_left: Option<u64>,
    skipped: Arc<AtomicU64>,
}

/// The rows read from an older epoch.
struct Older {
    rows: VecDeque<HeldRow>,
    reached: Reached,
}

struct HeldRow {
    /// The part after the salt of its key.
    unsalted: Bytes,
    row: Bytes,
    cells: Vec<Cell>,
}

type Result<T = ()> = std::result::Result<T, RecipeError>;

impl Windows {
    pub(super) fn new(
        epochs: KeyMigration,
        (pieces, mark): (Arc<[Vec<PieceRows>]>, Mark),
        selection: Selection,
        settings: MergeSettings,
        reached: Reached,
        skipped: Arc<AtomicU64>,
    ) -> Self {
        let older = |_| Older {
            rows: VecDeque::new(),
            reached: reached.clone(),
        };
        Self {
            older: (1..epochs.list().len()).map(older).collect(),
            newest: None,
            yielded: reached,
            window_rows: FIRST_WINDOW_ROWS,
            rows_left: settings.limit,
            epochs,
            pieces,
            mark,
            selection,
            settings,
            skipped,
        }
    }

    /// Returns the next rows, or `None` if there are no more.
    pub(super) async fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        while self.rows_left != Some(0) {
            if self.newest.is_none() {
                if self.yielded == Reached::All {
                    return Ok(None);
                }
                self.read_older().await?;
                let newest = self.older.len();
                let limit = self.rows_left;
                self.newest = Some(self.merge(newest, &self.yielded, &self.window_end(), limit));
            }
            let next = match &mut self.newest {
                Some(newest) => newest.try_next().await?,
                None => None,
            };
            let batch = self.with_held(next);
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Returns the end of the window: the extent to which all older epochs have been read.
    fn window_end(&self) -> Reached {
        self.older
            .last()
            .map_or(Reached::All, |last| last.reached.clone())
    }

    /// Reads further in the older epochs, each only as far as the one before it.
    async fn read_older(&mut self) -> Result {
        let used_up = |pair: &[Older]| matches!(pair, [one, next] if one.reached == next.reached);
        let kept = self
            .older
            .windows(2)
            .rev()
            .take_while(|pair| used_up(pair))
            .count();
        let first = self.older.len().saturating_sub(kept + 1);
        let mut bound = match first
            .checked_sub(1)
            .and_then(|before| self.older.get(before))
        {
            Some(before) => before.reached.clone(),
            None => Reached::All,
        };
        for epoch in first..self.older.len() {
            bound = self.read_one(epoch, &bound).await?;
        }
        self.window_rows = (2 * self.window_rows).min(MOST_WINDOW_ROWS);
        Ok(())
    }

    /// Reads further in an older epoch, at most up to a bound, and returns the extent of the read.
    async fn read_one(&mut self, epoch: usize, bound: &Reached) -> Result<Reached> {
        let Some(older) = self.older.get(epoch) else {
            return Ok(bound.clone());
        };
        let most_rows = self
            .rows_left
            .map_or(self.window_rows, |left| left.min(self.window_rows));
        let most_bytes = self.settings.memory_bytes / 4 / self.older.len().max(1);
        let mut batches = self.merge(epoch, &older.reached, bound, Some(most_rows));
        let (mut rows, mut bytes, mut reached) = (0, 0, bound.clone());
        let mut held = Vec::new();
        while let Some(batch) = batches.try_next().await? {
            bytes += batch.cells().map(cell_bytes).sum::<usize>();
            rows += u64::try_from(batch.len()).unwrap_or(u64::MAX);
            held.extend(self.held_rows(epoch, &batch));
            if (rows >= most_rows || bytes >= most_bytes)
                && let Some(last) = held.last()
            {
                reached = Reached::Through(last.unsalted.clone());
                break;
            }
        }
        if let Some(older) = self.older.get_mut(epoch) {
            older.rows.extend(held);
            older.reached = reached.clone();
        }
        Ok(reached)
    }

    fn held_rows(&self, epoch: usize, batch: &RowBatch) -> Vec<HeldRow> {
        let head_len = self.head_len(epoch);
        let held = batch.rows().map(|row| HeldRow {
            unsalted: Bytes::copy_from_slice(row.key().get(head_len..).unwrap_or_default()),
            row: Bytes::copy_from_slice(row.row),
            cells: row.cells.to_vec(),
        });
        held.collect()
    }

    /// Merges the next rows of the newest epoch with the held rows of the same range. Without next
    /// rows the window has ended; the result is the rest of its held rows.
    fn with_held(&mut self, newest: Option<RowBatch>) -> RowBatch {
        let window_end = self.window_end();
        let Some(newest) = newest else {
            let mut rest = RowBatch::new(self.mark);
            self.add_held(&mut rest, &window_end, None);
            self.yielded = window_end;
            self.newest = None;
            return rest;
        };
        let count = u64::try_from(newest.len()).unwrap_or(u64::MAX);
        let is_within_limit = self.rows_left.is_none_or(|left| count <= left);
        if is_within_limit && self.smallest_held(&window_end).is_none() {
            self.count_yielded(count);
            return newest;
        }
        let head_len = self.head_len(self.older.len());
        let mut all = RowBatch::new(self.mark);
        for row in newest.rows() {
            let unsalted = row.key().get(head_len..).unwrap_or_default();
            self.add_held(&mut all, &window_end, Some(unsalted));
            let mut places = self.take_held(unsalted).1;
            places.push(row.cells.to_vec());
            self.add(&mut all, row.row, places);
        }
        all
    }

    /// Adds the held rows of the window; only those before an unsalted key, if one is given.
    fn add_held(&mut self, batch: &mut RowBatch, window_end: &Reached, before: Option<&[u8]>) {
        while let Some(unsalted) = self.smallest_held(window_end)
            && before.is_none_or(|before| unsalted.as_ref() < before)
        {
            let (row, places) = self.take_held(&unsalted);
            self.add(batch, &row, places);
        }
    }

    fn smallest_held(&self, window_end: &Reached) -> Option<Bytes> {
        let fronts = self.older.iter().filter_map(|older| older.rows.front());
        let smallest = fronts.map(|front| &front.unsalted).min()?;
        let is_within = match window_end {
            Reached::Nothing => false,
            Reached::Through(last) => smallest <= last,
            Reached::All => true,
        };
        is_within.then(|| smallest.clone())
    }

    /// Removes a row from all older epochs and returns the user's row and its cells, oldest first.
    fn take_held(&mut self, unsalted: &[u8]) -> (Bytes, Vec<Vec<Cell>>) {
        let (mut row, mut places) = (Bytes::new(), Vec::new());
        for older in &mut self.older {
            let front = older.rows.front();
            let is_it = front.is_some_and(|held| held.unsalted.as_ref() == unsalted);
            if is_it && let Some(held) = older.rows.pop_front() {
                row = held.row;
                places.push(held.cells);
            }
        }
        (row, places)
    }

    fn add(&mut self, batch: &mut RowBatch, row: &[u8], places: Vec<Vec<Cell>>) {
        if self.rows_left == Some(0) {
            return;
        }
        let cells = merged(places, self.epochs.versions(), self.selection.filter);
        if cells.is_empty() {
            return;
        }
        batch.add_row(row, cells);
        self.count_yielded(1);
    }

    fn count_yielded(&mut self, rows: u64) {
        self.rows_left = self.rows_left.map(|left| left.saturating_sub(rows));
    }

    fn head_len(&self, epoch: usize) -> usize {
        self.epochs
            .list()
            .get(epoch)
            .map_or(0, super::designs::Epoch::head_len)
    }

    /// Returns the rows of one epoch after one point, up to another.
    fn merge(
        &self,
        epoch: usize,
        after: &Reached,
        through: &Reached,
        limit: Option<u64>,
    ) -> SaltedRows {
        let head_len = self.head_len(epoch);
        let pieces = self
            .pieces
            .get(epoch)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let clip = |piece: &PieceRows| clipped(piece, head_len, (after, through));
        let request = MergeRequest {
            pieces: pieces.iter().filter_map(clip).collect(),
            head_len,
            owner_of: self.epochs.owner_of(epoch, &self.pieces),
            settings: MergeSettings {
                limit,
                ..of_one_epoch(self.settings)
            },
            mark: self.mark,
        };
        SaltedRows::new(request, self.selection.clone(), self.skipped.clone())
    }
}

/// Returns the settings of the merge of one epoch. Held rows of older epochs take the other half of
/// the memory.
pub(super) fn of_one_epoch(settings: MergeSettings) -> MergeSettings {
    MergeSettings {
        memory_bytes: settings.memory_bytes / 2,
        ..settings
    }
}

/// Returns the part of a piece between two points, or `None` if it is empty.
pub(super) fn clipped(
    (start, end): &PieceRows,
    head_len: usize,
    (after, through): (&Reached, &Reached),
) -> Option<PieceRows> {
    let head = start.get(..head_len)?;
    let behind = |unsalted: &Bytes| row_successor(&[head, unsalted].concat());
    let start = match after {
        Reached::Nothing => start.clone(),
        Reached::Through(last) => behind(last).max(start.clone()),
        Reached::All => return None,
    };
    let end = match (through, end) {
        (Reached::Nothing, _) => return None,
        (Reached::Through(last), Some(end)) => Some(behind(last).min(end.clone())),
        (Reached::Through(last), None) => Some(behind(last)),
        (Reached::All, end) => end.clone(),
    };
    let is_empty = end.as_ref().is_some_and(|end| *end <= start);
    (!is_empty).then_some((start, end))
}
