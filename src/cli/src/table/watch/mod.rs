//! `fluo table watch`.

mod changes;
mod line;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use fluo_keys::{RowCounting, TableOptimizations, Verdict};
use fluo_table::{ErrorKind, TableAdmin};
use tokio::time::sleep;

use self::changes::{Change, Changes};
use self::line::Line;
use super::verify::{Limits, Rows, with_damage};
use crate::duration;
use crate::exit::{self, Outcome};
use crate::output;
use crate::spec::{Expected, SpecArguments};
use crate::target::TargetArguments;

/// The shortest interval: a check is not free for the servers.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// Verify a table repeatedly, and print the changes.
///
/// The first line is the present state of the table. Then there is a line for each difference that
/// appears or is fixed, with the time in UTC. The command ends with Ctrl-C (exit code 130), when
/// the table is deleted (exit code 2) or, with --once, when the table does not match the spec (exit
/// code 1). If the table cannot be checked, this is not a drift: it is printed once, and the watch
/// continues; only the first check must succeed. An embedded directory is open only during a check.
///
/// The checks are those of `fluo table verify`, but rows are not counted while the tablets' own
/// counts of entries are even. Uneven entries may belong to deleted cells, or be estimates, so then
/// the rows are counted and decide. --rows changes this.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table watch --at embedded:./data --spec pages.toml --interval 2s pages
  fluo table watch --at proxy:localhost:42424 --user root --spec pages.toml --once pages && echo never")]
pub(crate) struct Watch {
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    spec: SpecArguments,
    /// Name of the table
    name: String,
    /// The pause between two checks, from 100ms on, such as 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration::parse)]
    interval: Duration,
    /// End with exit code 1 as soon as the table does not match the spec
    #[arg(long)]
    once: bool,
    /// Condition for counting the rows at each check, which reads them
    #[arg(long, value_enum, default_value_t = Rows::Uneven)]
    rows: Rows,
    /// Accept split points that are not in the spec
    #[arg(long)]
    allow_extra_splits: bool,
    #[command(flatten)]
    limits: Limits,
    /// Print each line as a JSON object
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        if self.interval < SHORTEST_INTERVAL {
            bail!("the interval is shorter than 100ms");
        }
        let (optimizations, expected) = self.spec.read_expected()?;
        let mut watcher = Watcher {
            watch: self,
            optimizations,
            expected,
            connected: None,
        };
        // An error of the first check is an error of the arguments.
        let Some(first) = watcher.look().await? else {
            bail!("there is no table `{}`", self.name);
        };
        let mut is_ok = first.ok;
        self.print(&Change::begin(&first))?;
        let mut changes = Changes::new(first);
        while is_ok || !self.once {
            sleep(self.interval).await;
            let looked = match watcher.look().await {
                Ok(Some(seen)) => Ok(seen),
                Ok(None) => {
                    self.print(&Change::Deleted)?;
                    bail!("table `{}` was deleted while it was watched", self.name);
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

    fn print(&self, change: &Change) -> Result<()> {
        let line = Line::now(&self.name, change);
        if self.json {
            output::emit(&output::json_line(&line)?)
        } else {
            line.texts()
                .iter()
                .try_for_each(|text| output::emit(&output::shown(text)))
        }
    }
}

/// The checks of the table.
struct Watcher<'a> {
    watch: &'a Watch,
    optimizations: TableOptimizations,
    expected: Expected,
    connected: Option<Arc<dyn TableAdmin>>,
}

impl Watcher<'_> {
    /// Checks the table once. Returns `None` if it does not exist.
    async fn look(&mut self) -> Result<Option<Verdict>> {
        let Watch { target, name, .. } = self.watch;
        let (tables, damage) = match &self.connected {
            Some(tables) => (Arc::clone(tables), None),
            None => target.open_with_damage().await?,
        };
        if target.is_live() {
            self.connected = Some(Arc::clone(&tables));
        }
        let options = self
            .watch
            .limits
            .options(self.expected)
            .allow_extra_splits(self.watch.allow_extra_splits)
            .rows(RowCounting::from(self.watch.rows));
        match self
            .optimizations
            .verify(&*tables, name)
            .options(&options)
            .await
        {
            Ok(verdict) => Ok(Some(with_damage(verdict, damage))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
