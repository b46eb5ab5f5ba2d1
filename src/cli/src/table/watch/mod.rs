//! `fluo table watch`.

mod changes;
mod line;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_keys::{TableOptimizations, Verdict, VerifyOptions};
use fluo_table::{ErrorKind, TableAdmin};
use tokio::time::sleep;

use self::changes::{Change, Changes};
use self::line::Line;
use super::optimized::SpecTable;
use super::verify::{Limits, Rows, with_damage};
use crate::duration;
use crate::exit::{self, Outcome};
use crate::output;

/// The shortest interval: a check is not free for the servers.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Verify a table repeatedly, and print the changes.
///
/// The first line is the present state of the table. Then there is a line for each difference that
/// appears or is fixed, with the time in UTC. The command ends with Ctrl-C (exit code 130), when
/// the table is deleted (exit code 2) or, with --once, when the table does not match the spec (exit
/// code 1). If the table cannot be checked, this is printed once, and the watch continues; only the
/// first check must succeed. An embedded directory is open only during a check.
///
/// The checks are those of `fluo table verify`, but rows are counted only if the tablets' own
/// counts of entries are uneven, as these may be estimates or of deleted cells. --rows changes
/// this.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table watch --at embedded:./data --spec pages.toml --interval 2s pages
  fluo table watch --at proxy:localhost:42424 --user root --spec pages.toml --once pages && echo never")]
pub(crate) struct Watch {
    #[command(flatten)]
    table: SpecTable,
    /// The pause between two checks, from 100ms on, such as 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration::parse)]
    interval: Duration,
    /// End with exit code 1 as soon as the table does not match the spec
    #[arg(long)]
    once: bool,
    /// Condition for counting the rows at each check, which reads them
    #[arg(long, value_enum, default_value_t = Rows::Uneven)]
    rows: Rows,
    #[command(flatten)]
    limits: Limits,
    /// Print each line as a JSON object
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        if self.interval < MIN_INTERVAL {
            bail!("the interval is shorter than 100ms");
        }
        let name = &self.table.name;
        let (optimizations, expected) = self.table.spec.read_expected()?;
        let options = self.limits.options(expected, self.rows);
        let mut connected = None;
        // An error of the first check is an error of the arguments.
        let first = self.look(&optimizations, &options, &mut connected).await?;
        let first = first.with_context(|| format!("there is no table `{name}`"))?;
        let mut is_ok = first.ok;
        self.print(&Change::begin(&first))?;
        let mut changes = Changes::new(first);
        while is_ok || !self.once {
            sleep(self.interval).await;
            let looked = match self.look(&optimizations, &options, &mut connected).await {
                Ok(Some(seen)) => Ok(seen),
                Ok(None) => {
                    self.print(&Change::Deleted)?;
                    bail!("table `{name}` was deleted while it was watched");
                }
                Err(error) => Err(exit::sentence(&error)),
            };
            is_ok = looked.as_ref().map_or(is_ok, |seen| seen.ok);
            for change in changes.after(looked) {
                self.print(&change)?;
            }
        }
        Ok(Outcome::Difference)
    }

    /// Checks the table once; `None` if it does not exist. Keeps the connection to an Accumulo.
    async fn look(
        &self,
        optimizations: &TableOptimizations,
        options: &VerifyOptions,
        connected: &mut Option<Arc<dyn TableAdmin>>,
    ) -> Result<Option<Verdict>> {
        let SpecTable { target, name, .. } = &self.table;
        let (tables, unwritable) = match connected {
            Some(tables) => (Arc::clone(tables), None),
            None => target.open_checked().await?,
        };
        *connected = target.is_live().then(|| Arc::clone(&tables));
        match optimizations.verify(&*tables, name).options(options).await {
            Ok(verdict) => Ok(Some(with_damage(verdict, unwritable))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn print(&self, change: &Change) -> Result<()> {
        let line = Line::now(&self.table.name, change);
        if self.json {
            return output::emit(&output::json_line(&line)?);
        }
        let mut texts = line.texts().into_iter();
        texts.try_for_each(|text| output::emit(&output::shown(&text)))
    }
}
