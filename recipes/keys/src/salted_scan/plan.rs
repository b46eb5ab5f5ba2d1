//! The plan of a scan.

use std::fmt;

use fluo_table::{Escaped, Span};

use super::memory::Memory;
use super::merge::{FIRST_CELLS, PieceRows, first_of_limit};
use super::settings::{MergeSettings, UnknownKeys};
use crate::key_design::KeyOrder;

/// The plan of a salted scan: the ranges it will read and the memory it may hold.
///
/// The `Display` text is for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPlan {
    design: String,
    order: KeyOrder,
    spans: Vec<Span>,
    /// The maximum number of pieces that are read at the same time.
    merged_pieces: usize,
    first_cells: usize,
    max_cells: usize,
    settings: MergeSettings,
}

impl ScanPlan {
    /// Creates the plan of a scan of these pieces, of which this many are merged at the same time.
    pub(super) fn new(
        design: String,
        order: KeyOrder,
        (pieces, merged_pieces): (Vec<PieceRows>, usize),
        settings: MergeSettings,
    ) -> Self {
        let most = Memory::new(settings.memory_bytes).share(merged_pieces);
        let first = settings.limit.map_or(FIRST_CELLS, |rows| first_of_limit(rows, merged_pieces));
        let spans = pieces.into_iter();
        Self {
            design,
            order,
            spans: spans.map(|(start, end)| Span::rows(start, end)).collect(),
            merged_pieces,
            first_cells: first.min(most),
            max_cells: most,
            settings,
        }
    }

    /// Returns the pieces of the table, one for each salt that can hold a row, in the order of the
    /// table.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the order in which the scan yields rows.
    pub fn order(&self) -> KeyOrder {
        self.order
    }

    /// Returns the number of cells that the first read of each piece requests.
    pub fn first_cells(&self) -> usize {
        self.first_cells
    }

    /// Returns the maximum number of cells that a later read requests, for cells of an assumed
    /// size. A running scan adapts the number to the cells that it finds.
    pub fn max_cells(&self) -> usize {
        self.max_cells
    }

    /// Returns the maximum number of bytes of cells that wait to be merged. A scan of several
    /// designs merges one design at a time with half of its memory, and holds rows of the older
    /// ones in the other half.
    pub fn memory_bytes(&self) -> usize {
        self.settings.memory_bytes
    }

    /// Checks whether the scan of a piece stays open between two reads. If not, each read is a
    /// short scan of its own.
    pub fn stays_open(&self) -> bool {
        self.merged_pieces <= self.settings.open_scans
    }
}

impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.last()) else {
            return f.write_str("nothing: no key can belong to these rows");
        };
        match self.spans.len() {
            1 => f.write_str("one piece")?,
            count => write!(f, "{count} pieces")?,
        }
        write!(f, " of the table, `{}` to ", Escaped(&first.start().row))?;
        match last.end() {
            Some(end) => write!(f, "`{}`", Escaped(&end.row))?,
            None => f.write_str("the end of the table")?,
        }
        let merged = if self.spans.len() > 1 { "merged into" } else { "in" };
        writeln!(f, ", {merged} {}", self.order)?;
        if let Some(rows) = self.settings.limit {
            writeln!(f, "at most {rows} rows")?;
        }
        let scans = match self.stays_open() {
            true => "by a scan that stays open".to_owned(),
            false => format!(
                "by a short scan for each step: there are more pieces than the {} scans that may stay open",
                self.settings.open_scans
            ),
        };
        let foreign = match self.settings.foreign {
            UnknownKeys::Refuse => "ends the scan with an error",
            UnknownKeys::Skip => "is skipped and counted",
        };
        let (first, most, at_once) =
            (self.first_cells, self.max_cells, self.settings.concurrent_reads);
        writeln!(
            f,
            "each piece is read in steps of {first} to {most} cells, {at_once} pieces at a time, {scans}"
        )?;
        writeln!(f, "at most {} bytes of cells wait to be merged", self.settings.memory_bytes)?;
        write!(f, "a key that does not belong to {} {foreign}", self.design)
    }
}
