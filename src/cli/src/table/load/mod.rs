//! `fluo table load`.

mod input;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use fluo_keys::{BulkLoad, BulkLoadReport, ExistingRow, ExistingRows, KeyDesign};
use fluo_table::{Authorizations, Bytes, Column, Escaped, Grouped, Mutation};
use serde_json::{Value, json};

use self::report::Repeating;
use super::system_tables;
use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::exit::Outcome;
use crate::interrupt_message::Standing;
use crate::output;
use crate::progress;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::{count_of, plural};

/// Convert rows to keys of a design and write them to a table.
///
/// Writes the key of each row with one column and an empty value. A row that already exists is
/// written again, which changes only its timestamp. At the end it prints the number of rows whose
/// key another row of the load has; beyond 7,340,032 different keys this is a lower bound. If the
/// load fails or is interrupted, it prints the number of rows that are written, and of those that
/// may still be written; loading the file again is safe, except with drawn salts (random-salt). A
/// load takes at most 115 MB of memory, and the cache of an embedded table 134 MB.
///
/// With --create-if-absent, a row whose column already exists is not written: the first of these
/// rows are named, and the exit code is 1. If the spec has earlier designs, a row under one of its
/// earlier keys counts as existing. Loads with an earlier spec must have ended.
///
/// A table of an application in a directory is refused: its cells are written by transactions.
/// Applications on a live Accumulo are not detected.
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
    pub(crate) async fn run(&self, standing: &Standing) -> Result<Outcome> {
        let chosen = self.design.choose()?;
        let epochs = chosen.migration.filter(|_| self.create_if_absent);
        let design = chosen.design;
        if self.create_if_absent && design.draws_salts() {
            bail!(
                "--create-if-absent needs one key for each row, and the design {} draws salts; use another, such as digest-salt",
                design.name()
            );
        }
        system_tables::check_is_none(&self.name)?;
        let path = self.file.clone();
        let input = tokio::task::spawn_blocking(move || input::open(&path)).await??;
        let tables = self.target.open_to_change(&self.name, &self.guard);
        let tables = tables.await?;
        let table = tables.open_table(&self.name, Authorizations::none()).await?;
        let mut load =
            epochs.as_ref().map_or_else(|| BulkLoad::new(&design), BulkLoad::for_migration);
        if self.create_if_absent {
            load = load.insert_only()?;
        }
        let (encoding, column) = (self.encoding, self.column.clone());
        let rows = input::rows(input, move |line| {
            let row = Bytes::from(encoding.decode(line)?.into_owned());
            Ok(Mutation::new(row).put(column.clone(), Bytes::new()))
        });

        let (bar, start) = (progress::counter("rows"), Instant::now());
        let repeating = self.repeating(&design);
        let watch = |report: &BulkLoadReport| {
            bar.set_position(report.written);
            let state = repeating.stopped(report);
            standing.set(format!("loading table `{}` {state}", self.name));
        };
        let loaded = load.on_progress(watch).load(&*table, rows).await;
        drop(bar);
        let report = loaded.map_err(|error| repeating.failure(error))?;
        self.tell(&report, start.elapsed().as_secs_f64())?;
        Ok(Outcome::of(report.existing.count + report.unsure.count == 0))
    }

    fn repeating(&self, design: &KeyDesign) -> Repeating {
        match design.draws_salts() {
            _ if self.create_if_absent => Repeating::NamesConflicts,
            false => Repeating::WritesOnce,
            true if self.design.is_seeded() => Repeating::NeedsTheSeed,
            true => Repeating::WritesTwice,
        }
    }

    fn tell(&self, report: &BulkLoadReport, seconds: f64) -> Result<()> {
        let (rows, repeated) = (report.written, report.repeated_keys);
        #[expect(clippy::cast_precision_loss, reason = "a rate for a person to read")]
        let rows_per_second = rows as f64 / seconds.max(1e-9);
        if self.json {
            let mut json = json!({
                "table": self.name,
                "rows": rows,
                "seconds": seconds,
                "rows_per_second": rows_per_second,
                "rows_under_repeated_keys": repeated.rows,
                "repeated_keys_is_lower_bound": repeated.is_lower_bound,
            });
            if self.create_if_absent {
                output::add(&mut json, "conflicts", report.existing.count);
                output::add(&mut json, "first_conflicts", named(&report.existing));
                output::add(&mut json, "unsure", report.unsure.count);
                output::add(&mut json, "first_unsure", named(&report.unsure));
            }
            return output::print_json(&json);
        }
        say_named(&report.existing, "there already and not written");
        let unsure = "there, written by this load or before it, as an answer was lost";
        say_named(&report.unsure, unsure);
        say!(
            "{} written to table `{}` in {seconds:.1} s ({rows_per_second:.0} rows/s){}",
            plural(rows, "row"),
            self.name,
            report::repeated(repeated)
        );
        Ok(())
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
