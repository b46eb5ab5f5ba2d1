//! `fluo table load`.

use std::fs::{self, Metadata};
use std::future::ready;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Error, Result, anyhow, bail};
use clap::Args;
use fluo_keys::{
    BulkLoad, BulkLoadCause, BulkLoadError, BulkLoadReport, ExistingRow, ExistingRows, KeyDesign,
};
use fluo_table::{Authorizations, Bytes, Column, Escaped, Grouped, Mutation};
use futures::{Stream, StreamExt, stream};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::exit::Outcome;
use crate::interruption::set_state;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::{count_of, plural};
use crate::{lines, output, progress};

/// Maximum number of rows that pass to the load together. The first row passes alone, so it is
/// written at once.
const CHUNK_ROWS: usize = 1_000;
/// Number of bytes of lines after which a chunk passes to the load.
const CHUNK_BYTES: usize = 1 << 20;
const MAX_CHUNKS: usize = 2;

/// Convert rows to keys of a design and write them to a table.
///
/// Writes the key of each row with one column and an empty value. Loading a file again is safe,
/// except with drawn salts (random-salt): a row that already exists is written again, which changes
/// only its timestamp. Rows are sorted before they are written. A load takes at most 250 MB of
/// memory, and the cache of an embedded table 134 MB.
///
/// With --create-if-absent, a row whose column already exists is not written: the first of these
/// rows are named, and the exit code is 1. If the spec has earlier designs, a row under one of its
/// earlier keys counts as existing. Loads with an earlier spec must have ended.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table load --at embedded:./data pages --prefix p rows.txt
  zcat rows.gz | fluo table load --at embedded:./data pages --prefix p -
  fluo table load --at proxy:localhost:42424 --user root pages --prefix p rows.txt
  fluo table load --at embedded:./data pages --design modulo --create-if-absent users.txt")]
pub(crate) struct Load {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    name: String,
    #[command(flatten)]
    design: DesignArguments,
    /// File of rows, one a line, or - for standard input
    file: PathBuf,
    /// Encoding of the rows in the file
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Column to write
    #[arg(long, value_name = "FAMILY:QUALIFIER", default_value = "row:loaded", value_parser = column)]
    column: Column,
    /// Write only rows whose column is absent, and name the others
    #[arg(long)]
    create_if_absent: bool,
    #[command(flatten)]
    guard: ApplicationGuard,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Load {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let chosen = self.design.choose()?;
        let epochs = chosen.migration.filter(|_| self.create_if_absent);
        let design = chosen.design;
        if self.create_if_absent && design.draws_salts() {
            bail!(
                "--create-if-absent needs one key for each row, and the design {} draws salts; use another, such as digest-salt",
                design.name()
            );
        }
        let path = self.file.clone();
        let input = tokio::task::spawn_blocking(move || lines::open(&path, "rows")).await??;
        let tables = self.target.open_to_change(&self.name, &self.guard).await?;
        let table = tables.open_table(&self.name, Authorizations::none()).await?;
        let mut load =
            epochs.as_ref().map_or_else(|| BulkLoad::new(&design), BulkLoad::for_migration);
        if self.create_if_absent {
            load = load.insert_only()?;
        }
        // The bytes of the file that were read, and the bar of those whose rows are written.
        let read = ProgressBar::hidden();
        let rows = rows_of(read.wrap_read(input), self.encoding, self.column.clone());
        let (bar, start) = (progress::bytes("loading rows", size_of(&self.file)), Instant::now());
        let again = self.again(&design);
        let watch = |report: &BulkLoadReport| {
            let ended = u128::from(read.position()) * u128::from(report.ended_bytes)
                / u128::from(report.read_bytes.max(1));
            // The file is read ahead of the load, in steps.
            bar.set_position(bar.position().max(u64::try_from(ended).unwrap_or(u64::MAX)));
            set_state(format!("loading table `{}` {}", self.name, stopped(report, again)));
        };
        let loaded = load.on_progress(watch).load(&*table, rows).await;
        drop(bar);
        let report = loaded.map_err(|error| failure(error, again))?;
        self.tell(&report, start.elapsed().as_secs_f64())?;
        Ok(Outcome::of(report.existing.count + report.unsure.count == 0))
    }

    fn again(&self, design: &KeyDesign) -> &'static str {
        if self.create_if_absent {
            "loading again is safe, and names the stored rows as conflicts"
        } else if !design.draws_salts() {
            "loading again is safe"
        } else if self.design.seed.is_some() {
            "loading the same file again is safe only with the same --seed"
        } else {
            "this design draws random salts: loading again duplicates the rows that are already stored"
        }
    }

    fn tell(&self, report: &BulkLoadReport, seconds: f64) -> Result<()> {
        let (rows, repeated) = (report.written, report.repeated_keys);
        #[expect(clippy::cast_precision_loss, reason = "a rate for a person to read")]
        let rows_per_second = rows as f64 / seconds.max(1e-9);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is shown")]
        let rate = Grouped(rows_per_second as u64);
        if self.json {
            return output::print_json(&json!({
                "table": self.name,
                "rows": rows,
                "seconds": seconds,
                "rows_per_second": rows_per_second,
                "rows_under_repeated_keys": repeated.rows,
                "repeated_keys_is_lower_bound": repeated.is_lower_bound,
                "conflicts": report.existing.count,
                "first_conflicts": named(&report.existing),
                "unsure": report.unsure.count,
                "first_unsure": named(&report.unsure),
            }));
        }
        say_named(&report.existing, "there already and not written");
        let unsure = "there, written by this load or before it, as an answer was lost";
        say_named(&report.unsure, unsure);
        let at_least = if repeated.is_lower_bound { "at least " } else { "" };
        let under_repeated = match repeated.rows {
            0 => String::new(),
            rows => {
                format!("; {at_least}{} of them under a key that another line had", Grouped(rows))
            }
        };
        let (rows, table) = (plural(rows, "row"), &self.name);
        say!("{rows} written to table `{table}` in {seconds:.1} s ({rate} rows/s){under_repeated}");
        Ok(())
    }
}

/// Returns the number of bytes of a file; `None` if they are not known before it is read.
fn size_of(path: &Path) -> Option<u64> {
    let file = fs::metadata(path).ok().filter(Metadata::is_file)?;
    (path.as_os_str() != "-").then_some(file.len())
}

fn rows_of(
    input: impl Read + Send + 'static,
    encoding: Encoding,
    column: Column,
) -> impl Stream<Item = Result<Mutation>> + Send {
    let (chunks, received) = mpsc::channel::<Vec<Result<Mutation>>>(MAX_CHUNKS);
    // Sends the rows, and the error that ends them. Ends early if the load does not take more.
    let reader = tokio::task::spawn_blocking(move || {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        let read = lines::for_each(input, |number, line| {
            let row = Bytes::from(encoding.decode(line)?.into_owned());
            chunk.push(Ok(Mutation::new(row).put(column.clone(), Bytes::new())));
            bytes += line.len();
            if number == 1 || chunk.len() >= CHUNK_ROWS || bytes >= CHUNK_BYTES {
                bytes = 0;
                chunks.blocking_send(std::mem::take(&mut chunk))?;
            }
            Ok(())
        });
        chunk.extend(read.err().map(Err));
        let _ = chunks.blocking_send(chunk);
    });
    // A reader that panics ends the input with an error.
    let end = stream::once(reader)
        .filter_map(|ended| ready(ended.err().map(|error| vec![Err(error.into())])));
    let received =
        stream::unfold(received, async |mut received| Some((received.recv().await?, received)));
    received.chain(end).flat_map(stream::iter)
}

fn failure(error: BulkLoadError, again: &str) -> Error {
    let stopped = format!("the load {}", stopped(&error.report, again));
    let cause = match error.cause {
        BulkLoadCause::Input(error) => anyhow!(error),
        BulkLoadCause::Table(cause) => cause.into(),
        cause => anyhow!(cause).context(format!("line {}", error.rows.start())),
    };
    cause.context(stopped)
}

/// Returns the rows that are written, and the consequences of loading them again.
fn stopped(report: &BulkLoadReport, again: &str) -> String {
    let stopped = format!("stopped after {}", plural(report.written, "row"));
    match (report.written, report.unknown) {
        (0, 0) => stopped,
        (_, 0) => format!("{stopped}; {again}"),
        (_, some) => format!("{stopped} and perhaps {} more; {again}", Grouped(some)),
    }
}

fn named(rows: &ExistingRows) -> Value {
    let named = |row: &ExistingRow| {
        let (key, name) = (Escaped(&row.key).to_string(), Escaped(&row.row).to_string());
        json!({ "line": row.number, "row": name, "key": key })
    };
    rows.first.iter().map(named).collect()
}

fn say_named(rows: &ExistingRows, what: &str) {
    if rows.count == 0 {
        return;
    }
    say!("{} {what}:", plural(rows.count, "row"));
    for ExistingRow { number, row, key, .. } in &rows.first {
        say!("  line {number}: `{}` (key `{}`)", Escaped(row), Escaped(key));
    }
    let more = rows.count - count_of(rows.first.len());
    if more > 0 {
        say!("  and {} more", Grouped(more));
    }
}

fn column(text: &str) -> Result<Column, String> {
    let (family, qualifier) = text
        .split_once(':')
        .ok_or("a column is a family, a `:` and a qualifier; either may be empty")?;
    Ok(Column::new(family.to_owned(), qualifier.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_a_load_that_ended_early() {
        for (written, unknown, expected) in [
            (0, 0, "0 rows"),
            (1, 0, "1 row; again"),
            (1_200, 1_000, "1,200 rows and perhaps 1,000 more; again"),
            (0, 2, "0 rows and perhaps 2 more; again"),
        ] {
            let report = BulkLoadReport { written, unknown, ..BulkLoadReport::default() };
            assert_eq!(stopped(&report, "again"), format!("stopped after {expected}"));
        }
    }
}
