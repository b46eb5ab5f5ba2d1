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
//! or if there are none, one window is the whole scan.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, Cell, row_successor};

use super::batch::RowBatch;
use super::cursor::Mark;
use super::epochs::Epochs;
use super::fetch::Selection;
use super::memory::size_bytes;
use super::merge::{Merge, MergeRequest, PieceRows};
use super::merged_cells::merged;
use super::settings::MergeSettings;
use crate::error::RecipeError;
use crate::number::count;

/// Rows of an older epoch in the first window; the number doubles with each window.
const FIRST_WINDOW_ROWS: u64 = 1_000;
const MAX_WINDOW_ROWS: u64 = 1 << 16;

/// The extent of a read, in the order of unsalted keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// Not started.
    Nothing,
    /// Up to this stored key of the only design, inclusive. Among equal unsalted keys, which only
    /// random salts produce, those up to its salt.
    Key(Bytes),
    /// Up to this unsalted key, inclusive.
    Through(Bytes),
    /// To the end.
    All,
}

/// The rows that a scan reads.
#[derive(Clone)]
pub(super) struct Extent {
    pub(super) epochs: Epochs,
    /// The pieces of each epoch, oldest first.
    pub(super) pieces: Arc<[Vec<PieceRows>]>,
    pub(super) after: Reached,
    pub(super) mark: Mark,
}

/// A scan over epochs in progress.
pub(super) struct Windows {
    extent: Extent,
    selection: Selection,
    settings: MergeSettings,
    /// The older epochs, oldest first.
    older: Vec<Older>,
    /// The rows of the newest epoch in this window.
    newest: Option<Merge>,
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
        extent: Extent,
        selection: Selection,
        settings: MergeSettings,
        skipped: Arc<AtomicU64>,
    ) -> Self {
        let older = |_| Older { rows: VecDeque::new(), reached: extent.after.clone() };
        Self {
            older: (1..extent.epochs.designs.len()).map(older).collect(),
            newest: None,
            yielded: extent.after.clone(),
            window_rows: FIRST_WINDOW_ROWS,
            rows_left: settings.limit,
            extent,
            selection,
            settings,
            skipped,
        }
    }

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
                Some(newest) => newest.next_batch().await?,
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
        self.older.last().map_or(Reached::All, |last| last.reached.clone())
    }

    /// Reads further in the older epochs, each only as far as the one before it.
    async fn read_older(&mut self) -> Result {
        let used_up = |pair: &[Older]| matches!(pair, [one, next] if one.reached == next.reached);
        let kept = self.older.windows(2).rev().take_while(|pair| used_up(pair)).count();
        let first = self.older.len().saturating_sub(kept + 1);
        let mut bound = match first.checked_sub(1).and_then(|before| self.older.get(before)) {
            Some(before) => before.reached.clone(),
            None => Reached::All,
        };
        for epoch in first..self.older.len() {
            bound = self.read_one(epoch, &bound).await?;
        }
        self.window_rows = (2 * self.window_rows).min(MAX_WINDOW_ROWS);
        Ok(())
    }

    /// Reads further in an older epoch, at most up to a bound, and returns the extent of the read.
    async fn read_one(&mut self, epoch: usize, bound: &Reached) -> Result<Reached> {
        let Some(older) = self.older.get(epoch) else {
            return Ok(bound.clone());
        };
        let most_rows = self.rows_left.map_or(self.window_rows, |left| left.min(self.window_rows));
        let most_bytes = self.settings.memory_bytes / 4 / self.older.len().max(1);
        let mut batches = self.merge(epoch, &older.reached, bound, Some(most_rows));
        let (mut rows, mut bytes, mut reached) = (0, 0, bound.clone());
        let mut held = Vec::new();
        while let Some(batch) = batches.next_batch().await? {
            bytes += batch.cells().map(size_bytes).sum::<usize>();
            rows += count(batch.len());
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
        let head_len = self.extent.epochs.head_len(epoch);
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
            let mut rest = RowBatch::new(self.extent.mark);
            self.add_held(&mut rest, &window_end, None);
            self.yielded = window_end;
            self.newest = None;
            return rest;
        };
        let rows = count(newest.len());
        let is_within_limit = self.rows_left.is_none_or(|left| rows <= left);
        if is_within_limit && self.smallest_held(&window_end).is_none() {
            self.count_yielded(rows);
            return newest;
        }
        let head_len = self.extent.epochs.head_len(self.older.len());
        let mut all = RowBatch::new(self.extent.mark);
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
            Reached::Nothing | Reached::Key(_) => false,
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
        let cells = merged(places, self.extent.epochs.versions, self.selection.filter);
        if cells.is_empty() {
            return;
        }
        batch.add_row(row, cells);
        self.count_yielded(1);
    }

    fn count_yielded(&mut self, rows: u64) {
        self.rows_left = self.rows_left.map(|left| left.saturating_sub(rows));
    }

    fn merge(&self, epoch: usize, after: &Reached, through: &Reached, limit: Option<u64>) -> Merge {
        let Extent { epochs, pieces, .. } = &self.extent;
        let head_len = epochs.head_len(epoch);
        let clip = |piece: &PieceRows| clipped(piece, head_len, after, through);
        let request = MergeRequest {
            pieces: pieces.get(epoch).into_iter().flatten().filter_map(clip).collect(),
            head_len,
            owner_of: epochs.owner_of(epoch, pieces),
            settings: MergeSettings { limit, ..of_one_epoch(self.settings, epochs) },
            mark: self.extent.mark,
        };
        Merge::new(request, self.selection.clone(), self.skipped.clone())
    }
}

/// Returns the settings of the merge of one epoch. Held rows of older epochs take the other half of
/// the memory.
fn of_one_epoch(settings: MergeSettings, epochs: &Epochs) -> MergeSettings {
    let shares = if epochs.designs.len() > 1 { 2 } else { 1 };
    MergeSettings { memory_bytes: settings.memory_bytes / shares, ..settings }
}

impl Extent {
    /// Returns the pieces to read, the maximum number of them that is merged at the same time, and
    /// the settings of one merge.
    pub(super) fn planned(
        &self,
        settings: MergeSettings,
    ) -> (Vec<PieceRows>, usize, MergeSettings) {
        let of_each = self.pieces.iter().enumerate().map(|(epoch, pieces)| {
            let head_len = self.epochs.head_len(epoch);
            let left = |piece: &PieceRows| clipped(piece, head_len, &self.after, &Reached::All);
            pieces.iter().filter_map(left).collect()
        });
        let left: Vec<Vec<PieceRows>> = of_each.collect();
        // One epoch is read at a time.
        let merged = left.iter().map(Vec::len).max();
        let mut pieces = left.concat();
        pieces.sort_unstable();
        pieces.dedup();
        let settings = of_one_epoch(settings, &self.epochs);
        (pieces, merged.unwrap_or(0), settings)
    }
}

/// Returns the part of a piece between two points, or `None` if it is empty.
fn clipped(
    (start, end): &PieceRows,
    head_len: usize,
    after: &Reached,
    through: &Reached,
) -> Option<PieceRows> {
    let head = start.get(..head_len)?;
    let behind = |unsalted: &Bytes| row_successor(&[head, unsalted].concat());
    let start = match after {
        Reached::Nothing => start.clone(),
        Reached::Key(key) => {
            let same = Bytes::from([head, key.get(head_len..)?].concat());
            let next = if same <= *key { row_successor(&same) } else { same };
            next.max(start.clone())
        }
        Reached::Through(last) => behind(last).max(start.clone()),
        Reached::All => return None,
    };
    let end = match (through, end) {
        (Reached::Nothing | Reached::Key(_), _) => return None,
        (Reached::Through(last), Some(end)) => Some(behind(last).min(end.clone())),
        (Reached::Through(last), None) => Some(behind(last)),
        (Reached::All, end) => end.clone(),
    };
    let is_empty = end.as_ref().is_some_and(|end| *end <= start);
    (!is_empty).then_some((start, end))
}
