//! `fluo table import`.

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use fluo_keys::{BulkLoad, KeyDesign, Unsalted};
use fluo_table::{Bytes, Change, Column, Mutation, Update};
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::file_load::{FileLoad, FileLoaded, LinesOf};
use crate::encoding::Written;
use crate::exit::Outcome;
use crate::output::{self, JSON_FORMAT};
use crate::text::{counted, whole};
use crate::wording;

/// Write the cells that `fluo table export` printed.
///
/// Every byte of a cell and its timestamp are as before. Importing again is safe, but a table that
/// keeps all versions may keep cells twice. Make the table
/// first, with the same --versions. Cells that the labels of the scan did not allow are not in its
/// output; deletes are not either, so import into an empty table for a copy.
///
/// A line is bad if it is not such a cell. The import stops at the first bad line, unless --rejects
/// or --skip-bad lets it continue; then the exit code is 1.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table scan --at embedded:./data --json pages > pages.jsonl
  fluo table create --at embedded:./copy pages
  fluo table import --at embedded:./copy pages pages.jsonl

A line is a structure with row, family, qualifier, visibility, timestamp and value, and may have the
stored `key`, which is written in place of the row. Visibility and timestamp may be absent; the timestamp is then the
time of the table. In strings, a backslash begins a byte, \\xNN. Of consecutive cells with one column and timestamp,
the first is the newest.")]
pub(crate) struct Import {
    #[command(flatten)]
    file: FileLoad,
    #[command(flatten)]
    written: Written,
}

/// The part of a line that every format has.
#[derive(Deserialize)]
struct Formatted {
    format: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    format: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    key: Option<String>,
    row: Option<String>,
    family: String,
    qualifier: String,
    #[serde(default)]
    visibility: String,
    timestamp: Option<i64>,
    value: String,
}

impl Import {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let design = KeyDesign::new(Unsalted {})?;
        let load = BulkLoad::new(&design);
        let written = self.written;
        let parse = move |line: &[u8]| mutation(line, written);
        let loaded = self
            .file
            .load(
                load,
                &design,
                "importing again is safe, but a table that keeps all versions may keep cells twice",
                LinesOf::Cells,
                parse,
            )
            .await?;
        let FileLoaded { ref report, ref bad, seconds } = loaded;
        let cells = report.written_cells;
        let (table, cells_per_second) = (&self.file.name, loaded.per_second(cells));
        if output::is_json() {
            output::print_json(&json!({
                "table": table,
                "cells": cells,
                "seconds": seconds,
                "cells_per_second": cells_per_second,
                "bad_lines": bad.count(),
                "first_bad_lines": bad.first(),
            }))?;
        } else {
            bad.tell();
            let cells = counted(cells, "cell");
            say!(
                "{cells} written to table `{table}` in {seconds:.1} s ({} cells/s)",
                whole(cells_per_second)
            );
        }
        Ok(Outcome::of(bad.count() == 0))
    }
}

/// Reads a value that is not null.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    String::deserialize(value).map(Some)
}

/// Returns the put of the cell of a line.
fn mutation(line: &[u8], written: Written) -> Result<Mutation> {
    // A list of the values would be taken for a structure, too.
    ensure!(line.trim_ascii_start().starts_with(b"{"), "it is not a structure in JSON");
    let read = serde_json::from_slice::<Line>(line);
    // Another format may have other fields.
    let format = match &read {
        Ok(line) => line.format,
        Err(_) => serde_json::from_slice(line).ok().map(|Formatted { format }| format),
    };
    if let Some(format) = format.filter(|format| *format != u64::from(JSON_FORMAT)) {
        bail!("the cell has format {format}, but this build reads format {JSON_FORMAT}");
    }
    let line = read.map_err(|error| {
        let reason = wording::of_json_line(&error);
        anyhow!("it is not a cell as `fluo table export` prints it: {reason}")
    })?;
    let bytes = |name: &str, text: &str| -> Result<Bytes> {
        written.bytes(text.as_bytes()).with_context(|| format!("`{name}`"))
    };
    let key = line.key.or(line.row).context("it has no key and no row")?;
    let column = Column {
        family: bytes("family", &line.family)?,
        qualifier: bytes("qualifier", &line.qualifier)?,
        visibility: bytes("visibility", &line.visibility)?,
    };
    let change = Change::Put(bytes("value", &line.value)?);
    let update = Update { column, timestamp: line.timestamp, change };
    let mutation = Mutation { row: bytes("row", &key)?, updates: vec![update] };
    // A wrong visibility is an error of its line.
    mutation.check()?;
    Ok(mutation)
}
