//! A scan, the table on which it runs, and the owners of the keys of this table.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, CellBatches, ColumnSelector, Filter, Scan, Span, Table, row_successor};

use crate::cursor::Mark;
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowRange};
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

/// A scan of the user's rows over all pieces of the table that can hold them, merged into one
/// sequence.
///
/// [`KeyMigration::scan`](crate::KeyMigration::scan) returns one over several designs.
///
/// Rows come in the [order](KeyDesign::order) of the design. With random salts, a row may be stored
/// several times; the scan yields it once for each copy, one after the other.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, Modulo, RowSelection, SaltedScan};
///
/// let design = KeyDesign::new(Modulo::default())?;
/// let scan = SaltedScan::new(&design, &RowSelection::Prefix("2024-02-".into()))?.limit(3);
/// assert_eq!(scan.explain().spans.len(), 10);
/// // `scan.run(table)` is a stream of the rows, and `scan.after(cursor)` resumes it.
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a scan reads nothing until it runs"]
pub struct SaltedScan {
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

impl SaltedScan {
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
}

#[derive(Clone)]
pub(super) struct ScanRun {
    pub(super) scan: Arc<SaltedScan>,
    pub(super) table: Arc<dyn Table>,
    /// Number of rows skipped so far because no design can have made them.
    pub(super) skipped: Arc<AtomicU64>,
}

impl ScanRun {
    pub(super) fn read(&self, span: Span, batch_cells: NonZeroUsize) -> CellBatches {
        let scan = Scan::over(span).filter(self.scan.filter).batch_cells(batch_cells);
        self.table.scan(self.scan.columns.iter().cloned().fold(scan, Scan::column))
    }
}

impl KeyMigration {
    pub(super) fn head_len(&self, epoch: usize) -> usize {
        self.designs.get(epoch).map_or(0, KeyDesign::head_len)
    }

    pub(super) fn unsalted<'a>(&self, epoch: usize, key: &'a [u8]) -> &'a [u8] {
        key.get(self.head_len(epoch)..).unwrap_or_default()
    }
}

/// The owner of a stored key, from the point of view of one reader.
pub(super) enum Owner {
    /// The reader itself; the row was appended.
    Reader,
    /// Another reader, which yields the row.
    Another,
    /// No reader, for this reason.
    Unknown(RecipeError),
}

/// The reader of one epoch's pieces, in a scan that reads the pieces of every epoch.
#[derive(Clone)]
pub(super) struct EpochReader {
    pub(super) scan: Arc<SaltedScan>,
    pub(super) epoch: usize,
}

impl EpochReader {
    pub(super) fn head_len(&self) -> usize {
        self.scan.epochs.head_len(self.epoch)
    }

    /// Returns the owner of a stored key, and appends the row if the owner is the reader.
    pub(super) fn owner(&self, key: &[u8], row: &mut Vec<u8>) -> Owner {
        let before = row.len();
        match self.scan.epochs.decode_key_to(key, row) {
            Ok(owner) if owner == self.epoch => Owner::Reader,
            Ok(_) => {
                row.truncate(before);
                Owner::Another
            }
            // The pieces of epochs may overlap. Exactly one reader of the key reports it.
            Err(reason) if self.newest_over(key) == Some(self.epoch) => {
                let design = self.scan.epochs.designs.get(self.epoch);
                let own = design.and_then(|one| one.decode_key_to(key, row).err());
                Owner::Unknown(own.unwrap_or(reason))
            }
            Err(_) => Owner::Another,
        }
    }

    /// Returns the newest epoch whose pieces contain a stored key, whether or not the key belongs
    /// to it.
    ///
    /// An epoch whose keys begin like this one need not read it: it has no pieces if it has no key
    /// for the rows, and fewer pieces if the rows share a salt.
    fn newest_over(&self, key: &[u8]) -> Option<usize> {
        self.scan.pieces.iter().rposition(|of_one| {
            // In the order of the table: the last piece that begins at the key or before it.
            let until = of_one.partition_point(|piece| piece.start.as_ref() <= key);
            let piece = until.checked_sub(1).and_then(|last| of_one.get(last));
            piece.is_some_and(|piece| piece.contains(key))
        })
    }
}
