//! `fluo table load`.

use anyhow::{Result, bail};
use clap::Args;
use fluo_keys::{BulkLoad, ExistingRow, ExistingRows, KeyDesign};
use fluo_table::{Bytes, Column, Escaped, Grouped, Mutation};
use serde_json::{Value, json};

use super::file_load::{FileLoad, FileLoaded, LinesOf};
use crate::chosen_design::WritingDesignArguments;
use crate::encoding::Encoding;
use crate::exit::Outcome;
use crate::output;
use crate::text::{and_more, counted, whole};

/// Convert rows to keys of a design and write them to a table.
///
/// Writes the key of each row with one column and an empty value. Loading a file again is safe,
/// except with drawn salts (random-salt). A load takes at most 250 MB of memory, and the cache of
/// an embedded table 134 MB.
///
/// A line is bad if its encoding is wrong, if the design has no key for its row, or if the table
/// refuses it, such as a row that is too long. It ends the load, unless --rejects or --skip-bad is
/// given; then the exit code is 1.
///
/// If --create-if-absent finds rows, also under keys of earlier designs of the spec, the first of
/// them are named, and the exit code is 1. Loads with an earlier spec must have ended.
#[derive(Args, Debug)]
#[command(
    after_help = "\
Example:
  fluo table load --at embedded:./data pages --prefix p rows.txt
  fluo table load --at prod pages --prefix p --rejects bad.tsv rows.gz
  fluo table load --at embedded:./data users --design modulo users.txt",
    override_usage = "fluo table load [OPTIONS] --at <TARGET> <--prefix|--design|--spec> <NAME> <FILE|->"
)]
pub(crate) struct Load {
    #[command(flatten)]
    file: FileLoad,
    #[command(flatten)]
    design: WritingDesignArguments,
    /// Encoding of the rows in the file
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Column to write, FAMILY:QUALIFIER
    #[arg(long, default_value = "row:loaded", value_parser = column)]
    column: Column,
    /// Write only rows whose column is absent, and name the others
    #[arg(long)]
    create_if_absent: bool,
}

impl Load {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let chosen = self.design.choose()?;
        let epochs = chosen.migration.filter(|_| self.create_if_absent);
        let design = chosen.design;
        if self.create_if_absent && design.draws_salts() {
            bail!(misuse!(
                "--create-if-absent needs one key for each row, and the design {} draws salts; use another, such as digest-salt",
                design.name()
            ));
        }
        let mut load =
            epochs.as_ref().map_or_else(|| BulkLoad::new(&design), BulkLoad::for_migration);
        if self.create_if_absent {
            load = load.insert_only()?;
        }
        let (encoding, column) = (self.encoding, self.column.clone());
        let parse = move |line: &[u8]| {
            let row = Bytes::from(encoding.decode(line)?.into_owned());
            Ok(Mutation::new(row).put(column.clone(), Bytes::new()))
        };
        let again = self.again(&design);
        let loaded = self.file.load(load, &design, again, LinesOf::Rows, parse).await?;
        self.tell(&loaded)?;
        let FileLoaded { report, bad, .. } = loaded;
        Ok(Outcome::of(report.existing.count + report.unsure.count + bad.count() == 0))
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

    fn tell(&self, loaded: &FileLoaded) -> Result<()> {
        let FileLoaded { report, bad, seconds, .. } = loaded;
        let (rows, repeated) = (report.written, report.repeated_keys);
        let rows_per_second = loaded.per_second(rows);
        if output::is_json() {
            return output::print_json(&json!({
                "table": self.file.name,
                "rows": rows,
                "seconds": seconds,
                "rows_per_second": rows_per_second,
                "rows_under_repeated_keys": repeated.rows,
                "repeated_keys_is_lower_bound": repeated.is_lower_bound,
                "conflicts": report.existing.count,
                "first_conflicts": named(&report.existing),
                "unsure": report.unsure.count,
                "first_unsure": named(&report.unsure),
                "bad_lines": bad.count(),
                "first_bad_lines": bad.first(),
            }));
        }
        bad.tell();
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
        let (rows, table) = (counted(rows, "row"), &self.file.name);
        say!(
            "{rows} written to table `{table}` in {seconds:.1} s ({} rows/s){under_repeated}",
            whole(rows_per_second)
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
    say!("{} {what}:", counted(rows.count, "row"));
    for ExistingRow { number, row, key, .. } in &rows.first {
        say!("  line {number}: `{}` (key `{}`)", Escaped(row), Escaped(key));
    }
    if let Some(more) = and_more(rows.count, rows.first.len(), "row") {
        say!("  {more}");
    }
}

fn column(text: &str) -> Result<Column, String> {
    let (family, qualifier) = text
        .split_once(':')
        .ok_or("a column is a family, a `:` and a qualifier; either may be empty")?;
    Ok(Column::new(family.to_owned(), qualifier.to_owned()))
}
