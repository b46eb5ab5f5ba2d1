//! `fluo table load`.

mod input;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use fluo_keys::{BulkLoad, BulkLoadReport, ExistingRow, ExistingRows, KeyDesign};
use fluo_table::{Authorizations, Bytes, Column, Escaped, Grouped, Mutation};
use serde::Serialize;

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
/// key another row of the load has, because the table keeps only one of them; beyond 7,340,032
/// different keys this is a lower bound. For a file of any size this takes at most 115 MB of
/// memory, and the cache of an embedded table 134 MB. If the load fails or is interrupted (Ctrl-C,
/// SIGTERM, SIGHUP), it prints the number of rows that the table has acknowledged, and of those
/// that may still be written; loading the file again is safe.
///
/// Loading again is not safe with drawn salts (random-salt): a row usually gets another salt, and
/// then exists twice. Only the same file with the same --seed gets the same salts.
///
/// With --create-if-absent, a row whose column already exists is not written: the first of these
/// rows are named, and the exit code is 1. If two loads with one spec run at the same time, one
/// writes a row and the other names it. If the spec has earlier designs, a row under one of its
/// earlier keys counts as existing; it may be moved meanwhile. Loads with an earlier spec must have
/// ended.
///
/// A table of an application in a directory is refused: its cells are written by transactions, such
/// as those of a loader in a program. Applications on a live Accumulo are not detected.
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

#[derive(Serialize)]
struct Loaded {
    table: String,
    rows: u64,
    seconds: f64,
    rows_per_second: f64,
    /// Number of rows whose key another row of this load has. With --create-if-absent they count as
    /// conflicts instead.
    rows_under_repeated_keys: u64,
    /// True if there may be more of them, because not all keys were remembered.
    repeated_keys_is_lower_bound: bool,
    /// Only with --create-if-absent.
    #[serde(flatten)]
    created: Option<LoadedIfAbsent>,
}

/// The rows that already existed: their number, and the first of them.
#[derive(Serialize)]
struct LoadedIfAbsent {
    conflicts: u64,
    first_conflicts: Vec<NamedRow>,
    /// Rows that exist, written by this load or before it: the answer to the first write was lost.
    unsure: u64,
    first_unsure: Vec<NamedRow>,
}

/// A row of the input, escaped.
#[derive(Serialize)]
struct NamedRow {
    line: u64,
    row: String,
    key: String,
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
        let table = tables
            .open_table(&self.name, Authorizations::none())
            .await?;
        let load = match &epochs {
            Some(epochs) => BulkLoad::for_migration(epochs),
            None => BulkLoad::new(&design),
        };
        let load = match self.create_if_absent {
            true => load.insert_only()?,
            false => load,
        };
        let (encoding, column) = (self.encoding, self.column.clone());
        let rows = input::rows(input, move |line| {
            let row = Bytes::from(encoding.decode(line)?.into_owned());
            Ok(Mutation::new(row).put(column.clone(), Bytes::new()))
        });

        let (bar, start) = (progress::counter("rows"), Instant::now());
        let repeating = self.repeating(&design);
        let watch = |report: &BulkLoadReport| {
            bar.set_position(report.written);
            standing.set(repeating.interrupted(report, &self.name));
        };
        let loaded = load.on_progress(watch).load(&*table, rows).await;
        bar.finish_and_clear();
        let report = loaded.map_err(|error| repeating.failure(error))?;
        self.tell(&report, start.elapsed().as_secs_f64())?;
        Ok(match report.existing.count + report.unsure.count {
            0 => Outcome::Success,
            _ => Outcome::Difference,
        })
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
        let rows = report.written;
        let rows_per_second = rate(rows, seconds);
        let repeated = report.repeated_keys;
        if self.json {
            let created = self.create_if_absent.then(|| LoadedIfAbsent {
                conflicts: report.existing.count,
                first_conflicts: named(&report.existing),
                unsure: report.unsure.count,
                first_unsure: named(&report.unsure),
            });
            return output::print_json(&Loaded {
                table: self.name.clone(),
                rows,
                seconds,
                rows_per_second,
                rows_under_repeated_keys: repeated.rows,
                repeated_keys_is_lower_bound: repeated.is_lower_bound,
                created,
            });
        }
        say_named(&report.existing, "there already and not written");
        let unsure = "there, written by this load or before it, as an answer was lost";
        say_named(&report.unsure, unsure);
        output::say(&format!(
            "{} written to table `{}` in {seconds:.1} s ({rows_per_second:.0} rows/s){}",
            plural(rows, "row"),
            self.name,
            report::repeated(repeated)
        ));
        Ok(())
    }
}

fn named(rows: &ExistingRows) -> Vec<NamedRow> {
    let named = |row: &ExistingRow| NamedRow {
        line: row.number,
        row: Escaped(&row.row).to_string(),
        key: Escaped(&row.key).to_string(),
    };
    rows.first.iter().map(named).collect()
}

fn say_named(rows: &ExistingRows, what: &str) {
    if rows.count == 0 {
        return;
    }
    output::say(&format!("{} {what}:", plural(rows.count, "row")));
    for NamedRow { line, row, key } in named(rows) {
        output::say(&format!("  line {line}: `{row}` (key `{key}`)"));
    }
    let more = rows.count - count_of(rows.first.len());
    if more > 0 {
        output::say(&format!("  and {} more", Grouped(more)));
    }
}

fn rate(rows: u64, seconds: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a rate for a person to read")]
    let rows = rows as f64;
    rows / seconds.max(1e-9)
}

fn column(text: &str) -> Result<Column, String> {
    let (family, qualifier) = text
        .split_once(':')
        .ok_or("a column is a family, a `:` and a qualifier; either may be empty")?;
    Ok(Column::new(family.to_owned(), qualifier.to_owned()))
}
