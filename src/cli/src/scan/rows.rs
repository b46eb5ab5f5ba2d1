//! The rows of a scan.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;
use fluo_table::{Escaped, Span, row_successor};

use crate::byte_encoding::Written;

/// All rows, or a selection.
#[derive(Args, Debug)]
pub(super) struct RowArguments {
    /// First row
    #[arg(long, value_name = "ROW", allow_hyphen_values = true)]
    start: Option<OsString>,
    /// Last row, inclusive
    #[arg(long, value_name = "ROW", allow_hyphen_values = true)]
    end: Option<OsString>,
    /// Only this row
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["start", "end", "prefix"])]
    row: Option<OsString>,
    /// Only the rows that begin with this
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["start", "end"])]
    prefix: Option<OsString>,
}

impl RowArguments {
    pub(super) fn span(&self, written: Written) -> Result<Span> {
        if let Some(row) = &self.row {
            return Ok(Span::row(written.row(row)?));
        }
        if let Some(prefix) = &self.prefix {
            return Ok(Span::prefix(written.named("prefix", prefix)?));
        }
        let row = |row: &Option<OsString>| row.as_deref().map(|row| written.row(row)).transpose();
        let (start, end) = (row(&self.start)?.unwrap_or_default(), row(&self.end)?);
        match &end {
            Some(end) if start > end => bail!(
                "no row is in this range: --start `{}` comes after --end `{}`",
                Escaped(&start),
                Escaped(end)
            ),
            _ => Ok(Span::rows(start, end.map(|end| row_successor(&end)))),
        }
    }
}
