//! The plan of a scan.

use std::fmt;

use fluo_table::Span;

use super::memory::Memory;
use super::merge::{FIRST_CELLS, PieceRows, first_of_limit};
use super::settings::{MergeSettings, UnknownKeys};
use crate::key_design::KeyOrder;

/// The plan of a salted scan: the ranges it will read and the memory it may hold.
///
/// The `Display` text is for people.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, Modulo, RowSelection, SaltedScan};
///
/// let design = KeyDesign::new(Modulo::default())?;
/// let scan = SaltedScan::new(&design, &RowSelection::Prefix("2024-".into()))?.limit(100);
/// assert_eq!(
///     scan.explain().to_string(),
///     "10 pieces of the table, `00|2024-` to `09|2024.`, merged into the order of the rows\n\
///      at most 100 rows\n\
///      each piece is read in steps of 20 to 1024 cells, 4 pieces at a time, by a scan that stays open\n\
///      at most 67108864 bytes of cells wait to be merged\n\
///      a key that does not belong to modulo (Java's String.hashCode modulo 10) ends the scan with an error"
/// );
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPlan {
    design: String,
    order: KeyOrder,
    spans: Vec<Span>,
    /// The maximum number of pieces that are read at the same time.
    merged_pieces: usize,
    limit: Option<u64>,
    first_cells: usize,
    most_cells: usize,
    memory_bytes: usize,
    open_scans: usize,
    concurrent_reads: usize,
    foreign: UnknownKeys,
}

impl ScanPlan {
    /// Creates the plan of a scan of these pieces, of which this many are merged at the same time.
    pub(crate) fn new(
        design: String,
        order: KeyOrder,
        (pieces, merged_pieces): (Vec<PieceRows>, usize),
        settings: MergeSettings,
    ) -> Self {
        let most = Memory::new(settings.memory_bytes).share(merged_pieces);
        let first = settings
            .limit
            .map_or(FIRST_CELLS, |rows| first_of_limit(rows, merged_pieces));
        let spans = pieces.into_iter();
        Self {
            design,
            order,
            spans: spans.map(|(start, end)| Span::rows(start, end)).collect(),
            merged_pieces,
            limit: settings.limit,
            first_cells: first.min(most),
            most_cells: most,
            memory_bytes: settings.memory_bytes,
            open_scans: settings.open_scans,
            concurrent_reads: settings.concurrent_reads,
            foreign: settings.foreign,
        }
    }

    /// Returns the pieces of the table, one for each salt that can hold a row, in the order of the
    /// table.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the order in which the scan yields rows.
    #[must_use]
    pub fn order(&self) -> KeyOrder {
        self.order
    }

    /// Returns the number of cells that the first read of each piece requests.
    #[must_use]
    pub fn first_cells(&self) -> usize {
        self.first_cells
    }

    /// Returns the maximum number of cells that a later read requests, for cells of an assumed
    /// size. A running scan adapts the number to the cells that it finds.
    #[must_use]
    pub fn most_cells(&self) -> usize {
        self.most_cells
    }

    /// Returns the maximum number of bytes of cells that wait to be merged. A scan of several
    /// designs merges one design at a time with half of its memory, and holds rows of the older
    /// ones in the other half.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Checks whether the scan of a piece stays open between two reads. If not, each read is a
    /// short scan of its own.
    #[must_use]
    pub fn stays_open(&self) -> bool {
        self.merged_pieces <= self.open_scans
    }
}

impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, .., last] = self.spans.as_slice() else {
            return match self.spans.as_slice() {
                [only] => self.write_one(f, only),
                _ => f.write_str("nothing: no key can belong to these rows"),
            };
        };
        write!(
            f,
            "{} pieces of the table, `{}` to ",
            self.spans.len(),
            Start(first)
        )?;
        write_end(f, last)?;
        writeln!(f, ", merged into {}", self.order)?;
        self.write_cost(f)
    }
}

impl ScanPlan {
    fn write_one(&self, f: &mut fmt::Formatter<'_>, only: &Span) -> fmt::Result {
        write!(f, "one piece of the table, `{}` to ", Start(only))?;
        write_end(f, only)?;
        writeln!(f, ", in {}", self.order)?;
        self.write_cost(f)
    }

    fn write_cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rows) = self.limit {
            writeln!(f, "at most {rows} rows")?;
        }
        write!(
            f,
            "each piece is read in steps of {} to {} cells",
            self.first_cells, self.most_cells
        )?;
        write!(f, ", {} pieces at a time, ", self.concurrent_reads)?;
        match self.stays_open() {
            true => writeln!(f, "by a scan that stays open")?,
            false => writeln!(
                f,
                "by a short scan for each step: there are more pieces than the {} scans that may stay open",
                self.open_scans
            )?,
        }
        writeln!(
            f,
            "at most {} bytes of cells wait to be merged",
            self.memory_bytes
        )?;
        write!(f, "a key that does not belong to {} ", self.design)?;
        f.write_str(match self.foreign {
            UnknownKeys::Refuse => "ends the scan with an error",
            UnknownKeys::Skip => "is skipped and counted",
        })
    }
}

struct Start<'a>(&'a Span);

impl fmt::Display for Start<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fluo_table::Escaped(&self.0.start().row).fmt(f)
    }
}

fn write_end(f: &mut fmt::Formatter<'_>, span: &Span) -> fmt::Result {
    match span.end() {
        Some(end) => write!(f, "`{}`", fluo_table::Escaped(&end.row)),
        None => f.write_str("the end of the table"),
    }
}
