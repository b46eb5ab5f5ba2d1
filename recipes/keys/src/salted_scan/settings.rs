//! The settings of a scan, and the table on which it runs.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, CellBatches, ColumnSelector, Filter, Scan, Span, Table, row_successor};

use super::epochs::EpochReader;
use crate::cursor::Mark;
use crate::key_design::RowRange;
use crate::key_migration::KeyMigration;

/// The treatment of a stored key that the design cannot have made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownKeys {
    /// The scan ends with an error that names the key.
    #[default]
    Refuse,
    /// The key is skipped and [counted](crate::SaltedRows::skipped).
    Skip,
}

/// A position in the order of a scan: right after an unsalted key.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) unsalted: Bytes,
    /// Among the rows with this unsalted key, the position is after the last with this salt, or
    /// after all of them if it is `None`. Only drawn salts produce several.
    pub(super) salt: Option<Bytes>,
}

#[derive(Clone, Debug)]
pub(super) struct ScanSettings {
    pub(super) epochs: KeyMigration,
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
        let clipped = |RowRange { start, end }: &RowRange| {
            let salt = start.get(..head_len)?;
            let key = |unsalted: &[u8]| Bytes::from([salt, unsalted].concat());
            let next = after.map(|Position { unsalted, salt: last }| {
                let same = key(unsalted);
                let is_before = last.as_ref().is_none_or(|last| salt <= last.as_ref());
                if is_before { row_successor(&same) } else { same }
            });
            let start = next.map_or_else(|| start.clone(), |next| next.max(start.clone()));
            let behind = through.map(|last| row_successor(&key(last)));
            let end = behind.into_iter().chain(end.clone()).min();
            let is_empty = end.as_ref().is_some_and(|end| *end <= start);
            (!is_empty).then_some(RowRange { start, end })
        };
        pieces.filter_map(clipped).collect()
    }

    pub(super) fn reader(&self, epoch: usize) -> EpochReader {
        EpochReader { epochs: self.epochs.clone(), pieces: self.pieces.clone(), epoch }
    }
}

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
