//! The arguments that select rows, in terms of the rows as a user writes them.

use std::ffi::{OsStr, OsString};

use anyhow::Result;
use clap::Args;
use fluo_keys::{KeyDesign, RowSelection, ScanCost};
use fluo_table::{Bytes, Span};

pub(crate) const SELECTION: &str = "choice_of_rows";

#[derive(Args, Debug)]
#[group(id = SELECTION, multiple = true)]
pub(crate) struct SelectionArguments {
    /// This row
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["prefix_of", "suffix_of", "from", "to", "domain"])]
    row: Option<OsString>,
    /// The rows that begin with this
    #[arg(long, value_name = "START", allow_hyphen_values = true, conflicts_with_all = ["suffix_of", "domain"])]
    prefix_of: Option<OsString>,
    /// The rows that end with this
    #[arg(long, value_name = "END", allow_hyphen_values = true, conflicts_with_all = ["from", "to", "domain"])]
    suffix_of: Option<OsString>,
    /// The rows from this one on; if the design scatters ranges, from this next part on
    #[arg(long, value_name = "FIRST", allow_hyphen_values = true, conflicts_with = "domain")]
    from: Option<OsString>,
    /// The rows before this one; if the design scatters ranges, before this next part
    #[arg(long, value_name = "END", allow_hyphen_values = true, conflicts_with = "domain")]
    to: Option<OsString>,
    /// The pages of this domain, in a web table
    #[arg(long)]
    domain: Option<String>,
    /// With --domain: include the pages of its subdomains
    #[arg(long, requires = "domain")]
    subdomains: bool,
}

impl SelectionArguments {
    /// Returns the rows; `decode` returns the bytes of an argument.
    pub(crate) fn rows(
        &self,
        design: &KeyDesign,
        decode: impl Fn(&OsStr) -> Result<Bytes>,
    ) -> Result<RowSelection> {
        let bytes = |row: &Option<OsString>| row.as_deref().map(&decode).transpose();
        let (from, to) = (bytes(&self.from)?, bytes(&self.to)?);
        let has_bounds = from.is_some() || to.is_some();
        let single = (bytes(&self.row)?, bytes(&self.prefix_of)?, bytes(&self.suffix_of)?);
        Ok(match (&self.domain, single) {
            (Some(domain), _) if self.subdomains => RowSelection::domain_and_subdomains(domain),
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

    /// Prints a note if no row can be in the pieces of the selection.
    pub(crate) fn say_if_empty(&self, spans: &[Span]) {
        if spans.is_empty() {
            let why = match (&self.from, &self.to) {
                (Some(_), Some(_)) => ": --from is not before --to",
                _ => "",
            };
            say!("no row is in this set{why}");
        }
    }
}

/// Checks whether the design can select values of the first part, but not a range of rows.
fn has_only_parts(design: &KeyDesign) -> bool {
    let scans = design.scans();
    let is_possible = |reach: &ScanCost| !matches!(reach, ScanCost::Unsupported { .. });
    !is_possible(&scans.by_range) && is_possible(&scans.between)
}
