//! The plan of a scan.

use std::fmt;

use fluo_table::{Escaped, Span};

use super::memory::Memory;
use super::merge::{FIRST_CELLS, first_of_limit};
use super::settings::{ScanSettings, UnknownKeys};
use crate::key_design::{KeyDesign, KeyOrder};

/// The plan of a salted scan: the ranges it will read and the memory it may hold.
///
/// The `Display` text is for people.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanPlan {
    /// The pieces of the table, one for each salt that can hold a row, in the order of the table.
    pub spans: Vec<Span>,
    /// The order in which the scan yields rows.
    pub order: KeyOrder,
    /// The number of cells that the first read of each piece requests.
    pub first_cells: usize,
    /// The maximum number of cells that a later read requests, for cells of an assumed size. A
    /// running scan adapts the number to the cells that it finds.
    pub max_cells: usize,
    /// The maximum number of bytes of cells that wait to be merged. A scan of several designs
    /// merges one design at a time with half of its memory, and holds rows of the older ones in the
    /// other half.
    pub memory_bytes: usize,
    /// `true` if the scan of a piece stays open between two reads. If not, each read is a short
    /// scan of its own.
    pub stays_open: bool,
    settings: ScanSettings,
}

impl ScanPlan {
    pub(super) fn new(settings: ScanSettings) -> Self {
        let epochs = 0..settings.pieces.len();
        let left: Vec<_> =
            epochs.map(|epoch| settings.pieces_of(epoch, settings.after.as_ref(), None)).collect();
        // One epoch is read at a time.
        let merged = left.iter().map(Vec::len).max().unwrap_or_default();
        let mut pieces = left.concat();
        pieces.sort_unstable();
        pieces.dedup();
        let memory_bytes = settings.merge_bytes();
        let max_cells = Memory::new(memory_bytes).share(merged);
        let first = settings.limit.map_or(FIRST_CELLS, |rows| first_of_limit(rows, merged));
        Self {
            spans: pieces.into_iter().map(|piece| Span::rows(piece.start, piece.end)).collect(),
            // All designs have one order.
            order: settings.epochs.designs.first().map_or(KeyOrder::Rows, KeyDesign::order),
            first_cells: first.min(max_cells),
            max_cells,
            memory_bytes,
            stays_open: merged <= settings.open_scans,
            settings,
        }
    }
}

impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.last()) else {
            return f.write_str("nothing: no key can belong to these rows");
        };
        let (pieces, merged) = match self.spans.len() {
            1 => ("one piece".to_owned(), "in"),
            count => (format!("{count} pieces"), "merged into"),
        };
        let start = Escaped(&first.start().row);
        let end = last.end().map(|end| format!("`{}`", Escaped(&end.row)));
        let end = end.as_deref().unwrap_or("the end of the table");
        writeln!(f, "{pieces} of the table, `{start}` to {end}, {merged} {}", self.order)?;
        if let Some(rows) = self.settings.limit {
            writeln!(f, "at most {rows} rows")?;
        }
        let (first, most) = (self.first_cells, self.max_cells);
        let at_once = self.settings.concurrent_reads;
        write!(
            f,
            "each piece is read in steps of {first} to {most} cells, {at_once} pieces at a time, "
        )?;
        if self.stays_open {
            writeln!(f, "by a scan that stays open")?;
        } else {
            let most = self.settings.open_scans;
            writeln!(
                f,
                "by a short scan for each step: there are more pieces than the {most} scans that may stay open"
            )?;
        }
        writeln!(f, "at most {} bytes of cells wait to be merged", self.memory_bytes)?;
        let designs: Vec<_> =
            self.settings.epochs.designs.iter().map(ToString::to_string).collect();
        let foreign = match self.settings.foreign {
            UnknownKeys::Refuse => "ends the scan with an error",
            UnknownKeys::Skip => "is skipped and counted",
        };
        write!(f, "a key that does not belong to {} {foreign}", designs.join(" or "))
    }
}
