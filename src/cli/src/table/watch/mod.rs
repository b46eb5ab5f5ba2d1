//! `fluo table watch`.

mod changes;
mod line;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use fluo_core::TableAdmin;
use fluo_recipes::{RowCounting, TableOptimizations, Verdict, VerifyOptions, verify};
use tokio::time::sleep;

use self::changes::{Change, Changes};
use self::line::Line;
use super::verify::Rows;
use crate::duration;
use crate::exit::{self, Outcome};
use crate::output;
use crate::spec::SpecArguments;
use crate::target::TargetArguments;

/// The shortest interval: a look costs the servers something.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// Verify again and again, and print what changes.
///
/// The first line says how the table is; from then on there is a line for each difference that appears or is gone,
/// with the time in UTC. It ends with Ctrl-C (exit code 130) or, with --once, when the table is not as the spec says
/// (exit code 1). A table that cannot be looked at is no drift: that is told once, and watching goes on;
/// only the first look must succeed. An embedded
/// directory is held only while it is looked at.
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
    /// The table
    name: String,
    /// The pause between two looks, from 100ms on, such as 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration::parse)]
    interval: Duration,
    /// End with exit code 1 as soon as the table is not as the spec says
    #[arg(long)]
    once: bool,
    /// Whether rows are counted at each look by reading them
    #[arg(long, value_enum, default_value_t = Rows::Skip)]
    rows: Rows,
    /// Accept split points that the spec does not ask for
    #[arg(long)]
    allow_extra_splits: bool,
    /// Print each line as a JSON object
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        if self.interval < SHORTEST_INTERVAL {
            bail!("the interval is shorter than 100ms");
        }
        let mut watcher = Watcher {
            watch: self,
            optimizations: self.spec.read()?,
            connected: None,
        };
        // What is wrong with the first look is wrong with the arguments.
        let mut changes = Changes::default();
        let first = watcher.look().await?;
        self.print(&Change::Begin(first.differences.clone()))?;
        let mut is_ok = first.ok;
        changes.begin(first);
        while is_ok || !self.once {
            sleep(self.interval).await;
            let looked = watcher.look().await.map_err(|error| exit::sentence(&error));
            is_ok = looked.as_ref().map_or(is_ok, |verdict| verdict.ok);
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

/// Looks at the table.
struct Watcher<'a> {
    watch: &'a Watch,
    optimizations: TableOptimizations,
    connected: Option<Arc<dyn TableAdmin>>,
}

impl Watcher<'_> {
    async fn look(&mut self) -> Result<Verdict> {
        let Watch { target, name, .. } = self.watch;
        let tables = match &self.connected {
            Some(tables) => Arc::clone(tables),
            None => target.open().await?,
        };
        if target.is_live() {
            self.connected = Some(Arc::clone(&tables));
        }
        let options = VerifyOptions {
            allow_extra_splits: self.watch.allow_extra_splits,
            rows: RowCounting::from(self.watch.rows),
            ..VerifyOptions::default()
        };
        Ok(verify(&*tables, name, &self.optimizations, &options, |_| ()).await?)
    }
}
