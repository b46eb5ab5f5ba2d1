//! `fluo key spans`.

use std::collections::HashSet;
use std::ffi::OsStr;

use anyhow::Result;
use clap::Args;
use fluo_table::{Bytes, Escaped, Span};
use serde_json::json;

use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::output;
use crate::selection::{SELECTION, SelectionArguments};

/// Print the pieces of the table that hold a set of rows, one a line.
#[derive(Args, Debug)]
#[command(
    mut_group(SELECTION, |selection| selection.required(true)),
    after_help = "\
Example:
  $ fluo key spans --design modulo,buckets=2 --prefix-of user-1
  [00|user-1, 00|user-2)
  [01|user-1, 01|user-2)
  $ fluo key spans --design web-table --domain example.com --subdomains
  $ fluo key spans --design reverse-time --prefix-of 's7|' --from 1696744000000

A piece goes from its first row, inclusive, to its end, exclusive. Bytes that are not printable are written
\\xNN. A set of rows that the design scatters is refused, with an alternative. If a spec has earlier designs, the
pieces of all of them are printed, those of the oldest first.",
    override_usage = "fluo key spans [OPTIONS] <--prefix|--design|--spec> <--all|--row|--prefix-of|...>"
)]
pub(crate) struct Spans {
    #[command(flatten)]
    design: DesignArguments,
    /// All rows
    #[arg(long, group = SELECTION, conflicts_with_all = ["row", "prefix_of", "suffix_of", "from", "to", "domain"])]
    all: bool,
    #[command(flatten)]
    rows: SelectionArguments,
    /// Encoding of the rows in the arguments
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

impl Spans {
    pub(crate) fn run(&self) -> Result<()> {
        let chosen = self.design.choose()?;
        let bytes = |row: &OsStr| Ok(Bytes::from(self.encoding.argument("row", row)?.into_owned()));
        let rows = self.rows.rows(&chosen.design, bytes)?;
        let spans = match &chosen.migration {
            None => chosen.design.spans(&rows)?,
            Some(epochs) => {
                say!(
                    "rows may be written in {} designs: these are the pieces of all, those of the oldest first",
                    epochs.designs().len()
                );
                // A piece of several designs is one of the newest of them.
                let (mut designs, mut seen) = (epochs.spans(&rows)?, HashSet::new());
                for spans in designs.iter_mut().rev() {
                    spans.retain(|span| seen.insert(span.clone()));
                }
                designs.concat()
            }
        };
        self.rows.say_if_empty(&spans);
        if output::is_json() {
            let shown = |row: &Bytes| Escaped(row).to_string();
            let piece = |span: &Span| json!({ "start": shown(&span.start().row), "end": span.end().map(|end| shown(&end.row)) });
            let spans: Vec<_> = spans.iter().map(piece).collect();
            return output::print_json(&json!({ "spans": spans }));
        }
        spans.iter().try_for_each(|span| output::print_exactly(&span.to_string()))
    }
}
