//! `fluo table migrate`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use fluo_keys::{KeyMigration, MigrationOptions};
use fluo_table::{Authorizations, Versions};
use serde::Serialize;

use crate::exit::Outcome;
use crate::interruption::set_state;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::counted;
use crate::{output, progress, spec};

/// Move rows from an earlier design to the design of the spec.
///
/// The spec names the earlier designs in [[row_hasher.before]] or [[key_design.before]], oldest
/// first; `unsalted` are rows as they are. Rows are copied, checked under their new key, and only
/// then deleted under the old one, in bounded steps. It is safe to interrupt this command, and to
/// run it again. The exit code is 1 while rows are left.
///
/// During a migration, readers must look under every key that a row can have, and deletes must
/// reach each of them. The library does both for applications that declare the earlier designs.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table migrate --at embedded:./data --spec pages.toml pages

pages.toml, for rows that were loaded without a hash:
  [[row_hasher]]
  prefix = \"p\"
  tablets = 20

  [[row_hasher.before]]
  design = \"unsalted\"

`fluo table verify` with the same spec shows the progress.")]
pub(crate) struct Migrate {
    #[command(flatten)]
    target: TargetArguments,
    /// Wanted state of the table, with the earlier designs, in TOML; - is standard input
    #[arg(long, value_name = "FILE.toml")]
    spec: PathBuf,
    /// Name of the table
    name: String,
    /// Label of visibilities to read and move with; repeat it for each. Cells that the labels do
    /// not allow stay where they are
    #[arg(long = "authorization", value_name = "LABEL", value_parser = NonEmptyStringValueParser::new())]
    authorizations: Vec<String>,
    #[command(flatten)]
    guard: ApplicationGuard,
}

#[derive(Debug, Default, Serialize)]
struct Migrated {
    table: String,
    rows_moved: u64,
    cells_moved: u64,
    rows_contended: u64,
    rows_hidden: u64,
    rows_foreign: u64,
    rows_without_key: u64,
    rows_left: u64,
}

impl Migrate {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let designs = self.designs()?;
        let tables = self.target.open_to_change(&self.name, &self.guard).await?;
        let versions = Versions::for_scan(&tables.properties(&self.name).await?);
        let epochs = KeyMigration::new(designs.designs().cloned(), versions)?;
        let labels: Authorizations = self.authorizations.iter().cloned().collect();
        let table = tables.open_table(&self.name, labels).await?;
        let mut migrated = Migrated { table: self.name.clone(), ..Migrated::default() };
        set_state(migrated.standing());
        let checked =
            progress::while_it_lasts("looking at all rows".to_owned(), epochs.check(&*table));
        checked.await.context("no row was moved")?;
        let left = match progress::is_shown() {
            true => epochs.count(&*table).await?.left(),
            false => 0,
        };
        let (options, mut cursor) = (MigrationOptions::new(), None);
        let bar = progress::parts("moving rows", left);
        loop {
            let step = epochs.migrate_step(&*table, cursor.as_ref(), &options).await;
            let step = step.with_context(|| migrated.standing())?;
            migrated.rows_moved += step.rows_moved;
            migrated.cells_moved += step.cells_moved;
            migrated.rows_contended += step.rows_contended;
            migrated.rows_hidden += step.rows_hidden;
            migrated.rows_foreign += step.rows_foreign;
            migrated.rows_without_key += step.rows_without_key;
            bar.set_position(migrated.rows_moved);
            set_state(migrated.standing());
            cursor = step.cursor;
            if cursor.is_none() {
                break;
            }
        }
        drop(bar);
        let counts = epochs.count(&*table).await?;
        migrated.rows_left = counts.left();
        if output::is_json() {
            output::print_json(&migrated)?;
        } else {
            say!("table `{}`: {} moved; {counts}", self.name, counted(migrated.rows_moved, "row"));
            migrated.say_reasons();
        }
        Ok(Outcome::of(migrated.rows_left == 0))
    }

    fn designs(&self) -> Result<KeyMigration> {
        let (recipes, spec) = (spec::recipes(&self.spec)?, self.spec.display());
        let mut migrations = recipes.into_iter().filter_map(|recipe| recipe.migration);
        match (migrations.next(), migrations.next()) {
            (Some(migration), None) => Ok(migration),
            (None, _) => bail!(misuse!(
                "the spec {spec} names no earlier design: write [[row_hasher.before]] or [[key_design.before]] with the \
                 design of the rows so far"
            )),
            (Some(_), Some(_)) => bail!(misuse!(
                "the spec {spec} names earlier designs of several recipes: migrate one at a time, with a spec of its own"
            )),
        }
    }
}

impl Migrated {
    fn standing(&self) -> String {
        let (rows, table) = (counted(self.rows_moved, "row"), &self.table);
        format!(
            "{rows} of table `{table}` were moved; no row is lost, and migrating again continues"
        )
    }

    fn say_reasons(&self) {
        for (rows, reason) in [
            (self.rows_contended, "stayed, because of concurrent writes: migrate again"),
            (
                self.rows_hidden,
                "stayed, as a delete marker in their new place would hide them: compact the table and migrate again",
            ),
            (self.rows_foreign, "left alone, as none of the designs makes such keys"),
            (
                self.rows_without_key,
                "stayed, as the newest design has no key for them: readers find them there",
            ),
        ] {
            if rows > 0 {
                say!("{} {reason}", counted(rows, "row"));
            }
        }
    }
}
