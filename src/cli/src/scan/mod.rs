//! `fluo scan`.

mod print;
mod record;

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;
use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{Cell, ColumnSelector, Escaped, Scan as Request, Span, Tablets, row_successor};

pub(crate) use self::print::{PrintArguments, RecordKind};
pub(crate) use self::record::Record;

use crate::application::ApplicationArguments;
use crate::encoding::Written;
use crate::exit::Outcome;
use crate::text::parse_count;

/// Print the cells of an application, as of one moment.
///
/// Prints committed data only, in all rows as of the same moment. It resolves the locks of crashed
/// processes. No other process may have the directory open meanwhile.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo scan --at embedded:./data web
  fluo scan --at embedded:./data --column page:links --format csv web
  fluo scan --at embedded:./data --raw --row org.wikipedia web

A line of text is `row family qualifier visibility`, a tab and the value; with --raw it is the line of Java Fluo's
`fluo scan --raw`. The timestamp is the start of the transaction, or with --raw that of the entry.")]
pub(crate) struct Scan {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    rows: RowArguments,
    #[command(flatten)]
    printed: PrintArguments,
    /// Maximum number of cells to print; 0 prints none
    #[arg(long, value_name = "COUNT", value_parser = parse_count::<u64>)]
    limit: Option<u64>,
    /// Print the stored entries: every version, lock, acknowledgement and notification. Resolves no
    /// locks
    #[arg(long)]
    raw: bool,
    /// Print the stored entries of notifications only
    #[arg(long, conflicts_with_all = ["raw", "column"])]
    notifications: bool,
}

#[derive(Args, Debug)]
struct RowArguments {
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

impl Scan {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let request = self.request()?;
        let open = self.application.open().await?;
        let is_raw = self.raw || self.notifications;
        let (batches, kind) = if is_raw {
            (open.table.scan(request), RecordKind::Entry)
        } else {
            (open.client().await?.snapshot().await?.scan(request), RecordKind::Cell)
        };
        let record = if is_raw { Record::of_entry } else { Record::of_cell };
        let record = |cell: &Cell| record(cell, self.printed.written);
        self.printed.print(batches, self.limit, kind, Tablets::default(), record).await?;
        Ok(Outcome::Success)
    }

    fn request(&self) -> Result<Request> {
        let request = self.printed.request([self.rows.span(self.printed.written)?], self.limit)?;
        if self.notifications {
            return Ok(request.column(ColumnSelector::family(NOTIFICATION_FAMILY)));
        }
        let is_of_notifications =
            |column: &ColumnSelector| column.family == NOTIFICATION_FAMILY.as_bytes();
        if !self.raw && request.columns.iter().any(is_of_notifications) {
            bail!(misuse!(
                "column `{NOTIFICATION_FAMILY}`: it holds notifications, which are not data; --raw and \
                 --notifications show them"
            ));
        }
        Ok(request)
    }
}

impl RowArguments {
    fn span(&self, written: Written) -> Result<Span> {
        if let Some(row) = &self.row {
            return Ok(Span::row(written.row(row)?));
        }
        if let Some(prefix) = &self.prefix {
            return Ok(Span::prefix(written.named("prefix", prefix)?));
        }
        let row = |row: &Option<OsString>| row.as_deref().map(|row| written.row(row)).transpose();
        let (start, end) = (row(&self.start)?.unwrap_or_default(), row(&self.end)?);
        match &end {
            Some(end) if start > end => {
                let (start, end) = (Escaped(&start), Escaped(end));
                bail!(misuse!(
                    "no row is in this range: --start `{start}` comes after --end `{end}`"
                ))
            }
            _ => Ok(Span::rows(start, end.map(|end| row_successor(&end)))),
        }
    }
}
