//! The windows of a scan over epochs (E2).
//!
//! ```text
//!  order of rows ─────────────────────────────────────────────▶
//!  epoch 0    ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│         read first, held
//!  epoch 1    ▓▓▓▓▓▓▓▓▓▓▓▓▓│                 then as far as epoch 0 was, held
//!  newest     ▒▒▒▒▒▒▒▒▒▒▒▒▒│                 then as far as epoch 1 was, merged with held rows
//! ```
//!
//! Each epoch is read only as far as the one before it. The rows of the older epochs are held, as
//! many as memory allows; the rows of the newest are passed through. If the older epochs are empty,
//! or if there are none, one window is the whole scan.

use std::sync::Arc;

use fluo_table::{Bytes, Cell};

use super::batch::RowBatch;
use super::merge::Merge;
use super::read::Read;
use super::scan::{EpochReader, Position, ScanRun};
use crate::cells::size_bytes;
use crate::error::Result;
use crate::number::count;

/// Rows of an older epoch in the first window; the number doubles with each window.
const FIRST_WINDOW_ROWS: u64 = 1_000;
const MAX_WINDOW_ROWS: u64 = 1 << 16;

pub(super) struct Windows {
    run: ScanRun,
    /// The older epochs, oldest first.
    older: Vec<OlderEpoch>,
    merge: Option<Merge>,
    /// The last unsalted key of this window, or `None` to read to the end.
    end: Option<Bytes>,
    /// The start of the window: all rows before it have been yielded.
    yielded: Option<Position>,
    is_over: bool,
    window_rows: u64,
    rows_left: Option<u64>,
}

struct OlderEpoch {
    /// The cells that have not been yielded, in the order of the scan.
    cells: Vec<Cell>,
    /// The last unsalted key that has been read, or `None` for all of them.
    reached: Option<Bytes>,
    /// `true` if the rows have been yielded as far as they have been read.
    is_used_up: bool,
}

impl Windows {
    pub(super) fn new(run: ScanRun) -> Self {
        let older = |_| OlderEpoch { cells: Vec::new(), reached: None, is_used_up: true };
        Self {
            older: (1..run.scan.pieces.len()).map(older).collect(),
            merge: None,
            end: None,
            yielded: run.scan.after.clone(),
            is_over: false,
            window_rows: FIRST_WINDOW_ROWS,
            rows_left: run.scan.limit,
            run,
        }
    }

    pub(super) async fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        while self.rows_left != Some(0) && !self.is_over {
            if self.merge.is_none() {
                self.read_older().await?;
                self.merge = Some(self.next_merge());
            }
            let Some(merge) = &mut self.merge else { continue };
            let batch = merge.next_batch().await?;
            self.rows_left = merge.rows_left;
            if batch.is_some() {
                return Ok(batch);
            }
            self.merge = None;
            for older in &mut self.older {
                older.is_used_up = older.reached == self.end;
            }
            match self.end.take() {
                Some(unsalted) => self.yielded = Some(Position { unsalted, salt: None }),
                None => self.is_over = true,
            }
        }
        Ok(None)
    }

    /// Reads further in the older epochs, each only as far as the one before it.
    async fn read_older(&mut self) -> Result {
        let mut epochs = std::mem::take(&mut self.older);
        let mut bound = None;
        for (epoch, older) in epochs.iter_mut().enumerate() {
            if older.is_used_up {
                *older = self.read_one(epoch, bound).await?;
            }
            bound = older.reached.clone();
        }
        self.older = epochs;
        self.window_rows = (2 * self.window_rows).min(MAX_WINDOW_ROWS);
        self.end = bound;
        Ok(())
    }

    async fn read_one(&mut self, epoch: usize, bound: Option<Bytes>) -> Result<OlderEpoch> {
        let scan = &self.run.scan;
        let most_rows = self.rows_left.map_or(self.window_rows, |left| left.min(self.window_rows));
        // At least one batch is read, so that the window advances.
        let most_bytes = (scan.memory_bytes / 4 / (scan.pieces.len() - 1)).max(1);
        let pieces = scan.pieces_of(epoch, self.yielded.as_ref(), bound.as_ref());
        let mut merge = Merge::new(self.run.clone(), epoch, pieces, Vec::new(), Some(most_rows));
        let (mut rows, mut bytes, mut cells) = (0, 0, Vec::new());
        while rows < most_rows && bytes < most_bytes {
            let Some(batch) = merge.next_batch().await? else {
                return Ok(OlderEpoch { cells, reached: bound, is_used_up: false });
            };
            bytes += batch.cells().map(size_bytes).sum::<usize>();
            rows += count(batch.len());
            cells.extend(batch.cells().cloned());
        }
        let last = cells.last().map(|cell: &Cell| scan.epochs.unsalted(epoch, &cell.key.row));
        let reached = last.map(Bytes::copy_from_slice);
        Ok(OlderEpoch { cells, reached, is_used_up: false })
    }

    /// Returns the merge of the newest epoch with the held rows of this window.
    fn next_merge(&mut self) -> Merge {
        let (scan, end) = (&self.run.scan, self.end.as_ref());
        let mut held = Vec::new();
        for (epoch, older) in self.older.iter_mut().enumerate() {
            let is_within = |cell: &Cell| {
                end.is_none_or(|end| scan.epochs.unsalted(epoch, &cell.key.row) <= end.as_ref())
            };
            let rest = older.cells.split_off(older.cells.partition_point(is_within));
            let cells = std::mem::replace(&mut older.cells, rest);
            if !cells.is_empty() {
                held.push(Read::new(cells, &EpochReader { scan: Arc::clone(scan), epoch }));
            }
        }
        let newest = self.older.len();
        let pieces = scan.pieces_of(newest, self.yielded.as_ref(), end);
        Merge::new(self.run.clone(), newest, pieces, held, self.rows_left)
    }
}
