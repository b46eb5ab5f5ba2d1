//! The error of a bulk load.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

use fluo_table::Grouped;

use super::cause::BulkLoadCause;
use super::report::BulkLoadReport;

/// The reason why a bulk load stopped, the rows that it concerns, and the state of the others.
#[derive(Debug)]
pub struct BulkLoadError {
    /// The numbers of the rows that failed, from 1, in the order of the input: one row, or all rows
    /// of a write that failed as a whole.
    pub rows: RangeInclusive<u64>,
    /// The cause.
    pub cause: BulkLoadCause,
    /// The counts at the end of the load.
    pub report: Box<BulkLoadReport>,
}

impl fmt::Display for BulkLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (Grouped(*self.rows.start()), Grouped(*self.rows.end()));
        write!(f, "{} (", self.cause)?;
        match first == last {
            true => write!(f, "row {first}")?,
            false => write!(f, "rows {first} to {last}")?,
        }
        write!(
            f,
            " of the load; rows written: {}",
            Grouped(self.report.written)
        )?;
        if self.report.unknown > 0 {
            write!(f, ", unknown: {}", Grouped(self.report.unknown))?;
        }
        f.write_str(")")
    }
}

impl Error for BulkLoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}
