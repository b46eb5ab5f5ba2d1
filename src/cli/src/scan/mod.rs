//! `fluo scan`.

mod record;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{ColumnSelector, Escaped, Scan as Request, Span, row_successor};
use futures::stream::TryStreamExt;
use indicatif::ProgressBar;

use self::record::{Record, WRITE};
use crate::application::ApplicationArguments;
use crate::encoding::{Written, blanks_escaped};
use crate::exit::Outcome;
use crate::text::count_of;
use crate::{output, progress};

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
        let bar = if io::stdout().is_terminal() {
            ProgressBar::hidden()
        } else {
            progress::counter("cells")
        };
        let mut batches = if self.is_raw() {
            open.table.scan(request)
        } else {
            open.client().await?.snapshot().await?.scan(request)
        };
        output::write(self.format.header(self.is_raw()).as_bytes())?;
        let mut left = self.limit.unwrap_or(u64::MAX);
        while left > 0
            && let Some(mut batch) = batches.try_next().await?
        {
            batch.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            let count = count_of(batch.len());
            let record = if self.is_raw() { Record::of_entry } else { Record::of_cell };
            let records = batch.iter().map(|cell| record(cell, self.written));
            output::write(&self.format.lines(records)?)?;
            left -= count;
            bar.inc(count);
        }
        Ok(Outcome::Success)
    }

    fn is_raw(&self) -> bool {
        self.raw || self.notifications
    }

    fn request(&self) -> Result<Request> {
        let cells = usize::try_from(self.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let cells = NonZeroUsize::new(cells.min(BATCH_CELLS)).unwrap_or(NonZeroUsize::MIN);
        let mut request = Request::over(self.rows.span(self.written)?).batch_cells(cells);
        if self.notifications {
            return Ok(request.column(ColumnSelector::family(NOTIFICATION_FAMILY)));
        }
        for column in &self.column {
            let column = self.written.selector(column)?;
            if !self.raw && column.family == NOTIFICATION_FAMILY.as_bytes() {
                bail!(
                    "column `{NOTIFICATION_FAMILY}`: it holds notifications, which are not data; --raw and \
                     --notifications show them"
                );
            }
            request = request.column(column);
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
                bail!("no row is in this range: --start `{start}` comes after --end `{end}`")
            }
            _ => Ok(Span::rows(start, end.map(|end| row_successor(&end)))),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each, as Java Fluo prints it
    #[default]
    Text,
    /// One line for each, below a header with the names of the fields
    Csv,
    /// One JSON object for each, on a line
    Json,
}

impl Format {
    fn header(self, is_raw: bool) -> &'static str {
        match (self, is_raw) {
            (Self::Csv, false) => "row,family,qualifier,visibility,timestamp,value\n",
            (Self::Csv, true) => "row,family,qualifier,visibility,timestamp,type,value\n",
            _ => "",
        }
    }

    fn lines(self, mut records: impl Iterator<Item = Record>) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        match self {
            Self::Text => lines = records.map(text).collect::<String>().into_bytes(),
            Self::Csv => {
                let mut writer =
                    csv::WriterBuilder::new().has_headers(false).from_writer(&mut lines);
                records.try_for_each(|record| writer.serialize(record))?;
                writer.flush()?;
            }
            Self::Json => {
                for record in records {
                    serde_json::to_writer(&mut lines, &record)?;
                    lines.push(b'\n');
                }
            }
        }
        Ok(lines)
    }
}

fn text(record: Record) -> String {
    let Record { row, family, qualifier, visibility, timestamp, kind, value } = record;
    let [row, family, qualifier, visibility] =
        [row, family, qualifier, visibility].map(|name| blanks_escaped(&name));
    let family = family.replace(':', r"\x3a");
    let timestamp = timestamp.as_str().map_or_else(|| timestamp.to_string(), str::to_owned);
    match kind {
        None => format!("{row} {family} {qualifier} {visibility}\t{value}\n"),
        Some(kind) => {
            // Java Fluo leaves a blank in place of `PRIMARY` after a write that is not the
            // primary's.
            let has_primary = value.ends_with("PRIMARY") || value.starts_with("0x");
            let blank = if kind == WRITE && !has_primary { " " } else { "" };
            format!(
                "{row} {family}:{qualifier} [{visibility}] {timestamp}-{kind}\t{value}{blank}\n"
            )
        }
    }
}
