//! The plan of a scan.

use fluo_table::Span;

use super::memory::Memory;
use super::merge::{FIRST_CELLS, first_of_limit};
use super::settings::ScanSettings;

/// The plan of a salted scan: the ranges that it will read, and the sizes of its reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanPlan {
    /// The pieces of the table, one for each salt that can hold a row, in the order of the table.
    pub spans: Vec<Span>,
    /// The number of cells that the first read of each piece requests.
    pub first_cells: usize,
    /// The maximum number of cells that a later read requests, for cells of an assumed size. A
    /// running scan adapts the number to the cells that it finds.
    pub max_cells: usize,
    /// `true` if the scan of a piece stays open between two reads. If not, each read is a short
    /// scan of its own.
    pub stays_open: bool,
}

impl ScanPlan {
    pub(super) fn new(settings: &ScanSettings) -> Self {
        let epochs = 0..settings.pieces.len();
        let left: Vec<_> =
            epochs.map(|epoch| settings.pieces_of(epoch, settings.after.as_ref(), None)).collect();
        // One epoch is read at a time.
        let merged = left.iter().map(Vec::len).max().unwrap_or_default();
        let mut pieces = left.concat();
        pieces.sort_unstable();
        pieces.dedup();
        let max_cells = Memory::new(settings.merge_bytes()).share(merged);
        let first = settings.limit.map_or(FIRST_CELLS, |rows| first_of_limit(rows, merged));
        Self {
            spans: pieces.into_iter().map(|piece| Span::rows(piece.start, piece.end)).collect(),
            first_cells: first.min(max_cells),
            max_cells,
            stays_open: merged <= settings.open_scans,
        }
    }
}
