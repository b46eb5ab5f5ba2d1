//! `fluo table scan` and `fluo table get`: the cells of a table.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use anyhow::Result;
use clap::Args;
use fluo_keys::RowSelection;
use fluo_table::{Cell, Span, Tablets};

use super::stored::StoredTable;
use crate::exit::Outcome;
use crate::scan::PrintArguments;
use crate::selection::SelectionArguments;
use crate::text::parse_count;

/// Print the cells of a table.
///
/// With a design or a spec, prints the row beside its stored key, and selects rows as `fluo key
/// spans` does. Without one, the rows are the keys as they are stored.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table scan --at embedded:./data --limit 10 pages
  fluo table scan --at embedded:./data --prefix p --limit 10 pages
  fluo table scan --at embedded:./data --prefix-of p:1y --column page pages
  fluo table scan --at prod --design modulo --prefix-of user-1 --json users

A line of text is `row family qualifier visibility`, a tab and the value; with a design, the key comes first. A key
of another design has the row `\\?`, in JSON null. `fluo table import` reads the JSON lines.")]
pub(crate) struct Scan {
    #[command(flatten)]
    stored: StoredTable,
    #[command(flatten)]
    rows: SelectionArguments,
    #[command(flatten)]
    printed: PrintArguments,
    /// Maximum number of cells to print; 0 prints none
    #[arg(long, value_name = "COUNT", value_parser = parse_count::<u64>)]
    limit: Option<u64>,
}

/// Print the cells of rows; exits 1 if a row is not in the table.
///
/// With a design or a spec, looks for each row under the keys that it can have. Without one, the
/// rows are the keys as they are stored.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table get --at embedded:./data --prefix p pages org.wikipedia/accumulo
  fluo table get --at embedded:./data pages p:1yl0:org.wikipedia/accumulo

The cells are printed as by `fluo table scan`, in the order of the keys.

Exit codes: 0 all rows are there, 1 a row is not, 2 bad use or failure.")]
pub(crate) struct Get {
    #[command(flatten)]
    stored: StoredTable,
    /// The rows
    #[arg(required = true, value_name = "ROW")]
    rows: Vec<OsString>,
    #[command(flatten)]
    printed: PrintArguments,
}

impl Scan {
    pub(crate) async fn export(mut self) -> Result<()> {
        self.printed.as_json()?;
        self.run().await
    }

    pub(crate) async fn run(&self) -> Result<()> {
        let (rows, written) = (self.stored.rows()?, self.printed.written);
        let spans = rows.spans(&self.rows, |row| written.named("row", row))?;
        let open = self.stored.open().await?;
        let tablets = match self.limit {
            None if !io::stdout().is_terminal() => open.tablets_to_show(&spans).await,
            _ => Tablets::default(),
        };
        let request = self.printed.request(spans, self.limit)?;
        let record = |cell: &Cell| rows.record(cell, written);
        self.printed.print(open.table.scan(request), self.limit, rows.kind(), tablets, record).await
    }
}

impl Get {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let (rows, written) = (self.stored.rows()?, self.printed.written);
        let spans = |row: &OsString| {
            let row = written.named("row", row)?;
            Ok((rows.spans_of(&RowSelection::Row(row.clone()))?, row))
        };
        let mut missing = self.rows.iter().map(spans).collect::<Result<Vec<_>>>()?;
        let spans: Vec<Span> = missing.iter().flat_map(|(spans, _)| spans.clone()).collect();
        let request = self.printed.request(spans, None)?;
        let open = self.stored.open().await?;
        let record = |cell: &Cell| {
            missing.retain(|(spans, _)| !spans.iter().any(|span| span.contains(&cell.key)));
            rows.record(cell, written)
        };
        self.printed
            .print(open.table.scan(request), None, rows.kind(), Tablets::default(), record)
            .await?;
        for (_, row) in &missing {
            complain!("table `{}` shows no cell of row `{}`", self.stored.name, written.shown(row));
        }
        Ok(Outcome::of(missing.is_empty()))
    }
}
