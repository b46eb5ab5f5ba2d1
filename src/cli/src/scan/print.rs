//! The output of cells, for all commands that print them.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;

use anyhow::Result;
use clap::{Args, ValueEnum};
use fluo_table::{Cell, CellBatches, Scan, Span, Tablets};
use futures::stream::TryStreamExt;

use super::record::{Record, WRITE};
use crate::encoding::{Written, blanks_escaped};
use crate::progress::TableReading;
use crate::text::count_of;
use crate::{exit, output};

const BATCH_CELLS: usize = 1_000;

#[derive(Args, Debug)]
pub(crate) struct PrintArguments {
    /// Only this FAMILY:QUALIFIER, or all of a FAMILY; repeat it for each. \x3a stands for `:`
    #[arg(long, allow_hyphen_values = true)]
    pub(super) column: Vec<OsString>,
    #[command(flatten)]
    pub(crate) written: Written,
    /// Output format: lines of text (unless given), or CSV with a header; --json prints JSON
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Csv,
    #[value(skip)]
    Json,
}

/// The kind of the printed records, which have different fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    Cell,
    /// A cell with the row of its key.
    Decoded,
    /// A stored entry of a transaction.
    Entry,
}

impl PrintArguments {
    /// Makes the output JSON lines, also without `--json`.
    pub(crate) fn as_json(&mut self) -> Result<()> {
        match self.format.replace(Format::Json) {
            None => Ok(()),
            Some(_) => Err(exit::usage("an export is JSON lines", "omit --format")),
        }
    }

    fn format(&self) -> Result<Format> {
        match (self.format, output::is_json()) {
            (Some(Format::Text | Format::Csv), true) => {
                Err(exit::usage("--json and --format exclude each other", "omit one"))
            }
            (Some(format), _) => Ok(format),
            (None, true) => Ok(Format::Json),
            (None, false) => Ok(Format::Text),
        }
    }

    /// Creates the request for the cells of these columns.
    pub(crate) fn request(
        &self,
        spans: impl IntoIterator<Item = Span>,
        limit: Option<u64>,
    ) -> Result<Scan> {
        let cells = usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let cells = NonZeroUsize::new(cells.min(BATCH_CELLS)).unwrap_or(NonZeroUsize::MIN);
        let request = Scan::over_all(spans).batch_cells(cells);
        self.column
            .iter()
            .try_fold(request, |request, column| Ok(request.column(self.written.selector(column)?)))
    }

    /// Prints cells as their records, at most `limit` of them.
    pub(crate) async fn print(
        &self,
        mut batches: CellBatches,
        limit: Option<u64>,
        kind: RecordKind,
        tablets: Tablets,
        mut record: impl FnMut(&Cell) -> Record,
    ) -> Result<()> {
        let mut reading =
            (!io::stdout().is_terminal()).then(|| TableReading::new("cells", tablets));
        let format = self.format()?;
        output::write(format.header(kind).as_bytes())?;
        let mut left = limit.unwrap_or(u64::MAX);
        while left > 0
            && let Some(mut batch) = batches.try_next().await?
        {
            batch.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            output::write(&format.lines(batch.iter().map(&mut record))?)?;
            left -= count_of(batch.len());
            if let (Some(reading), Some(last)) = (&mut reading, batch.last()) {
                reading.show(limit.unwrap_or(u64::MAX) - left, &last.key.row);
            }
        }
        Ok(())
    }
}

impl Format {
    fn header(self, kind: RecordKind) -> &'static str {
        match (self, kind) {
            (Self::Csv, RecordKind::Cell) => "row,family,qualifier,visibility,timestamp,value\n",
            (Self::Csv, RecordKind::Decoded) => {
                "key,row,family,qualifier,visibility,timestamp,value\n"
            }
            (Self::Csv, RecordKind::Entry) => {
                "row,family,qualifier,visibility,timestamp,type,value\n"
            }
            _ => "",
        }
    }

    fn lines(self, mut records: impl Iterator<Item = Record>) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        match self {
            Self::Json => {
                for record in records {
                    lines.extend(format!("{}\n", output::json_line(&record)?).into_bytes());
                }
            }
            Self::Text => lines = records.map(text).collect::<String>().into_bytes(),
            Self::Csv => {
                let mut writer =
                    csv::WriterBuilder::new().has_headers(false).from_writer(&mut lines);
                records.try_for_each(|record| writer.serialize(record))?;
                writer.flush()?;
            }
        }
        Ok(lines)
    }
}

/// The row of a key that is not one of the design. No row is written like this.
const NO_ROW: &str = r"\?";

fn text(record: Record) -> String {
    let Record { key, row, family, qualifier, visibility, timestamp, kind, value } = record;
    let row = row.as_deref().map_or_else(|| NO_ROW.to_owned(), blanks_escaped);
    let key = key.map(|key| blanks_escaped(&key) + " ").unwrap_or_default();
    let [family, qualifier, visibility] =
        [family, qualifier, visibility].map(|name| blanks_escaped(&name));
    let family = family.replace(':', r"\x3a");
    let timestamp = timestamp.as_str().map_or_else(|| timestamp.to_string(), str::to_owned);
    match kind {
        None => format!("{key}{row} {family} {qualifier} {visibility}\t{value}\n"),
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
