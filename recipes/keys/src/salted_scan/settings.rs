//! The settings of a scan, and the table on which it runs.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, CellBatches, ColumnSelector, Filter, Scan, Span, Table};

use super::epochs::{EpochReader, Epochs};
use super::extent::{Position, clipped};
use crate::cursor::Mark;
use crate::key_design::RowRange;

/// The treatment of a stored key that the design cannot have made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownKeys {
    /// The scan ends with an error that names the key.
    #[default]
    Refuse,
    /// The key is skipped and [counted](crate::SaltedRows::skipped).
    Skip,
}

/// The rows that a scan reads, and its limits.
#[derive(Clone, Debug)]
pub(super) struct ScanSettings {
    pub(super) epochs: Epochs,
    /// The pieces of each epoch, oldest first.
    pub(super) pieces: Arc<[Vec<RowRange>]>,
    pub(super) mark: Mark,
    pub(super) after: Option<Position>,
    pub(super) columns: Vec<ColumnSelector>,
    pub(super) filter: Filter,
    pub(super) limit: Option<u64>,
    pub(super) memory_bytes: usize,
    pub(super) open_scans: usize,
    pub(super) concurrent_reads: usize,
    pub(super) foreign: UnknownKeys,
}

impl ScanSettings {
    /// Returns the bytes of one merge. Held rows of older epochs take the other half.
    pub(super) fn merge_bytes(&self) -> usize {
        if self.pieces.len() > 1 { self.memory_bytes / 2 } else { self.memory_bytes }
    }

    /// Returns the pieces of an epoch after a position and up to an unsalted key.
    pub(super) fn pieces_of(
        &self,
        epoch: usize,
        after: Option<&Position>,
        through: Option<&Bytes>,
    ) -> Vec<RowRange> {
        let head_len = self.epochs.head_len(epoch);
        let pieces = self.pieces.get(epoch).into_iter().flatten();
        pieces.filter_map(|piece| clipped(piece, head_len, after, through)).collect()
    }

    pub(super) fn reader(&self, epoch: usize) -> EpochReader {
        EpochReader { epochs: self.epochs.clone(), pieces: self.pieces.clone(), epoch }
    }
}

/// A scan that runs on a table.
#[derive(Clone)]
pub(super) struct ScanRun {
    pub(super) settings: Arc<ScanSettings>,
    pub(super) table: Arc<dyn Table>,
    /// Number of rows skipped so far because no design can have made them.
    pub(super) skipped: Arc<AtomicU64>,
}

impl ScanRun {
    pub(super) fn read(&self, span: Span, batch_cells: NonZeroUsize) -> CellBatches {
        let settings = &self.settings;
        let scan = Scan::over(span).filter(settings.filter).batch_cells(batch_cells);
        self.table.scan(settings.columns.iter().cloned().fold(scan, Scan::column))
    }
}
