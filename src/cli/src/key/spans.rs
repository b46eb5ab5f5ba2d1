//! `fluo key spans`.

use std::collections::HashSet;
use std::ffi::OsString;

use anyhow::Result;
use clap::Args;
use fluo_keys::{KeyDesign, RowSelection, ScanCost};
use fluo_table::{Bytes, Escaped, Span};
use serde_json::json;

use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::output;

/// Print the pieces of the table that hold a set of rows, one a line.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key spans --design modulo,buckets=2 --prefix-of user-1
  [00|user-1, 00|user-2)
  [01|user-1, 01|user-2)
  $ fluo key spans --design web-table --domain example.com --subdomains
  $ fluo key spans --design reverse-time --prefix-of 'sensor7|' --from 1696744000000 --to 1696745000000

A piece goes from its first row, inclusive, to its end, exclusive. Bytes that are not printable ASCII are written
\\xNN. A set of rows that the design scatters is refused, with an alternative. If a spec has earlier designs, the
pieces of all of them are printed, those of the oldest first.")]
pub(crate) struct Spans {
    #[command(flatten)]
    design: DesignArguments,
    #[command(flatten)]
    rows: Asked,
    /// Encoding of the rows in the arguments
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct Asked {
    /// All rows
    #[arg(long, conflicts_with_all = ["row", "prefix_of", "suffix_of", "from", "to", "domain"])]
    all: bool,
    /// This row
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["prefix_of", "suffix_of", "from", "to", "domain"])]
    row: Option<OsString>,
    /// The rows that begin with this
    #[arg(long, value_name = "START", allow_hyphen_values = true, conflicts_with_all = ["suffix_of", "domain"])]
    prefix_of: Option<OsString>,
    /// The rows that end with this
    #[arg(long, value_name = "END", allow_hyphen_values = true, conflicts_with_all = ["from", "to", "domain"])]
    suffix_of: Option<OsString>,
    /// The rows from this one on. With --prefix-of, and if the design scatters ranges of rows: the
    /// rows whose next part is at least this
    #[arg(long, value_name = "FIRST", allow_hyphen_values = true, conflicts_with = "domain")]
    from: Option<OsString>,
    /// The rows before this one. With --prefix-of, and if the design scatters ranges of rows: the
    /// rows whose next part is below this
    #[arg(long, value_name = "END", allow_hyphen_values = true, conflicts_with = "domain")]
    to: Option<OsString>,
    /// The pages of this domain, in a web table
    #[arg(long)]
    domain: Option<String>,
    /// With --domain: include the pages of its subdomains
    #[arg(long, requires = "domain")]
    subdomains: bool,
}

impl Spans {
    pub(crate) fn run(&self) -> Result<()> {
        let chosen = self.design.choose()?;
        let rows = self.rows(&chosen.design)?;
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
        if spans.is_empty() {
            let why = match (&self.rows.from, &self.rows.to) {
                (Some(_), Some(_)) => ": --from is not before --to",
                _ => "",
            };
            say!("no row is in this set{why}");
        }
        if self.json {
            let shown = |row: &Bytes| Escaped(row).to_string();
            let piece = |span: &Span| json!({ "start": shown(&span.start().row), "end": span.end().map(|end| shown(&end.row)) });
            return output::print_json(&spans.iter().map(piece).collect::<Vec<_>>());
        }
        spans.iter().try_for_each(|span| output::print_exactly(&span.to_string()))
    }

    fn rows(&self, design: &KeyDesign) -> Result<RowSelection> {
        let asked = &self.rows;
        let bytes = |row: &Option<OsString>| {
            let row = row.as_deref().map(|row| self.encoding.argument("row", row)).transpose();
            row.map(|row| row.map(|row| Bytes::from(row.into_owned())))
        };
        let (from, to) = (bytes(&asked.from)?, bytes(&asked.to)?);
        let has_bounds = from.is_some() || to.is_some();
        let single = (bytes(&asked.row)?, bytes(&asked.prefix_of)?, bytes(&asked.suffix_of)?);
        Ok(match (&asked.domain, single) {
            (Some(domain), _) if asked.subdomains => RowSelection::domain_and_subdomains(domain),
            (Some(domain), _) => RowSelection::domain(domain),
            (_, (Some(row), ..)) => RowSelection::Row(row),
            (_, (_, Some(prefix), _)) if has_bounds => RowSelection::Between { prefix, from, to },
            (_, (_, Some(prefix), _)) => RowSelection::Prefix(prefix),
            (_, (.., Some(suffix))) => RowSelection::Suffix(suffix),
            // Rows of parts are selected by the first part between two values.
            _ if has_bounds && has_only_parts(design) => {
                RowSelection::Between { prefix: Bytes::new(), from, to }
            }
            _ if has_bounds => RowSelection::Range { start: from.unwrap_or_default(), end: to },
            _ => RowSelection::All,
        })
    }
}

/// Checks whether the design can select values of the first part, but not a range of rows.
fn has_only_parts(design: &KeyDesign) -> bool {
    let scans = design.scans();
    let is_possible = |reach: &ScanCost| !matches!(reach, ScanCost::Unsupported { .. });
    !is_possible(&scans.by_range) && is_possible(&scans.between)
}
