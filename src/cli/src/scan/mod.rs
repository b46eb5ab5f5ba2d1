//! `fluo scan`.

mod format;
mod record;
mod rows;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;

use anyhow::{Result, bail};
use clap::Args;
use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{Cell, CellBatches, ColumnSelector, Scan as Request};
use futures::stream::TryStreamExt;

use self::format::Format;
use self::record::{Names, Record};
use self::rows::RowArguments;
use crate::application::{ApplicationArguments, OpenApplication};
use crate::byte_encoding::Written;
use crate::exit::Outcome;
use crate::output;
use crate::progress::{self, Line};
use crate::text::count_of;

const BATCH_CELLS: usize = 1_000;

/// Print the cells of an application, as of one moment.
///
/// Prints committed data only, in all rows as of the same moment. It resolves the locks of crashed
/// processes. No other process may have the directory open meanwhile.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo scan --at embedded:./data web
  fluo scan --at embedded:./data --prefix org.wikipedia --column page:links --format csv web
  fluo scan --at embedded:./data --raw --row org.wikipedia web

A line of text is `row family qualifier visibility`, a tab and the value. With --raw it is
`row family:qualifier [visibility] timestamp-TYPE`, a tab and the decoded entry, in the words and the order of Java
Fluo's `fluo scan --raw`, so scripts that read that output can read this one. A blank of a row or a column is written
\\x20, and a `:` of a family \\x3a, so each line can be parsed. TYPE is one of TX_DONE, WRITE, DEL_LOCK, RLOCK,
DEL_RLOCK, LOCK, ACK, DATA, and for notifications INSERT, DELETE. A value that cannot be decoded is shown in hex after
0x, and TYPE is UNKNOWN if the timestamp cannot be decoded.

The timestamp is the start of the transaction, or with --raw the timestamp of the entry.")]
pub(crate) struct Scan {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    rows: RowArguments,
    /// This column only, or all columns of a family. Write a `:` within the family as \x3a. Repeat
    /// it for each
    #[arg(long, value_name = "FAMILY[:QUALIFIER]", allow_hyphen_values = true)]
    column: Vec<OsString>,
    #[command(flatten)]
    written: Written,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Maximum number of cells to print; 0 prints none
    #[arg(long, value_name = "COUNT")]
    limit: Option<u64>,
    /// Print the stored entries: every version, lock, acknowledgement and notification. Resolves no
    /// locks
    #[arg(long)]
    raw: bool,
    /// Print the stored entries of notifications only
    #[arg(long, conflicts_with_all = ["raw", "column"])]
    notifications: bool,
}

impl Scan {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let request = self.request()?;
        let open = self.application.open().await?;
        let bar = match io::stdout().is_terminal() {
            true => progress::hidden(),
            false => progress::counter("cells"),
        };
        self.print(&open, request, &bar).await?;
        Ok(Outcome::Success)
    }

    fn is_raw(&self) -> bool {
        self.raw || self.notifications
    }

    fn request(&self) -> Result<Request> {
        let request = Request::over(self.rows.span(self.written)?).batch_cells(self.batch_cells());
        if self.notifications {
            return Ok(request.column(ColumnSelector::family(NOTIFICATION_FAMILY)));
        }
        let mut columns = Vec::new();
        for column in &self.column {
            let column = self.written.selector(column)?;
            if !self.raw && column.family == NOTIFICATION_FAMILY.as_bytes() {
                bail!(
                    "column `{NOTIFICATION_FAMILY}`: it holds notifications, which are not data; --raw and \
                     --notifications show them"
                );
            }
            columns.push(column);
        }
        Ok(columns.into_iter().fold(request, Request::column))
    }

    fn batch_cells(&self) -> NonZeroUsize {
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        let cells = limit.map_or(BATCH_CELLS, |limit| limit.min(BATCH_CELLS));
        NonZeroUsize::new(cells).unwrap_or(NonZeroUsize::MIN)
    }

    async fn print(&self, open: &OpenApplication, request: Request, bar: &Line) -> Result<()> {
        let mut batches = self.batches(open, request).await?;
        output::write(self.format.header(self.is_raw()).as_bytes())?;
        let mut left = self.limit.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(mut batch) = batches.try_next().await? else {
                break;
            };
            batch.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            let count = count_of(batch.len());
            output::write(&self.format.lines(batch.iter().map(|cell| self.record(cell)))?)?;
            left -= count;
            bar.inc(count);
        }
        Ok(())
    }

    async fn batches(&self, open: &OpenApplication, request: Request) -> Result<CellBatches> {
        Ok(match self.is_raw() {
            true => open.table.scan(request),
            false => open.client().await?.snapshot().await?.scan(request),
        })
    }

    fn record(&self, cell: &Cell) -> Record {
        let names = Names { written: self.written, is_on_line: self.format == Format::Text };
        match self.is_raw() {
            true => Record::of_entry(cell, names),
            false => Record::of_cell(cell, names),
        }
    }
}
