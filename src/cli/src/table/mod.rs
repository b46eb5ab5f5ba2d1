//! `fluo table`: tables, and their optimization.

mod apply;
mod bad_lines;
mod check;
mod compact;
mod count;
mod file_load;
mod import;
mod lifecycle;
mod load;
mod migrate;
mod plan;
mod sample;
mod scan;
mod show;
mod stored;
mod verify;
mod wait_until_balanced;
mod watch;

use anyhow::Result;
use clap::Subcommand;

use self::plan::SpecTable;
use crate::exit::Outcome;

pub(crate) use self::apply::{ApplyOptions, Approval};
pub(crate) use self::plan::{Optimized, PlanOptions, describe as describe_plan};
pub(crate) use self::verify::{VerifyArguments, describe as describe_verdict};

#[derive(Debug, Subcommand)]
pub(crate) enum TableCommand {
    // The help of most commands is the doc comment of their arguments.
    Create(lifecycle::Create),
    Delete(lifecycle::Delete),
    List(lifecycle::List),
    Show(show::Show),
    Scan(Box<scan::Scan>),
    /// Print the cells of a table as JSON lines, which `fluo table import` reads.
    ///
    /// The same as `fluo table scan --json`.
    #[command(after_help = "\
Example:
  fluo table export --at embedded:./data pages > pages.jsonl
  fluo table export --at embedded:./data pages | gzip > pages.jsonl.gz")]
    Export(Box<scan::Scan>),
    Get(Box<scan::Get>),
    Count(Box<count::Count>),
    Sample(Box<sample::Sample>),
    Load(Box<load::Load>),
    Import(Box<import::Import>),
    Compact(compact::Compact),
    Check(check::Check),
    Migrate(migrate::Migrate),
    /// Show the changes that would make a table match the spec; writes nothing.
    #[command(after_help = "\
Example:
  fluo table plan --at embedded:./data --spec pages.toml pages
  fluo table plan --at embedded:./data --spec pages.toml --out plan.json pages")]
    Plan {
        #[command(flatten)]
        table: SpecTable,
        #[command(flatten)]
        options: PlanOptions,
    },
    Apply(apply::Apply),
    /// Read everything back and check whether the table matches the spec; exits 1 if not.
    #[command(after_help = "\
Example:
  fluo table verify --at embedded:./data --spec pages.toml pages
  fluo table verify --at prod --spec pages.toml --wait 60s pages

A tablet or a server is too full if it holds more than --max-skew times the mean. If the rows are too few, absent or
not counted, the verdict is OK and its last line says that evenness is not proved; with --require-rows it is NOT OK.

The p-value is that of Pearson's chi-square test of the rows of each tablet. Rows with a p-value below 0.000001 are
uneven; that fails the verdict if the statistic is at least 4 % of the number of rows.

Rows are counted by reading them. If the user of a live Accumulo may not read them, the verdict covers everything
else, and is NOT OK; --rows skip uses the tablets' own counts of entries instead.")]
    Verify {
        #[command(flatten)]
        table: SpecTable,
        #[command(flatten)]
        options: VerifyArguments,
    },
    Watch(watch::Watch),
}

pub(crate) async fn run(command: TableCommand) -> Result<Outcome> {
    match command {
        TableCommand::Create(command) => command.run().await?,
        TableCommand::Delete(command) => command.run().await?,
        TableCommand::List(command) => command.run().await?,
        TableCommand::Show(command) => command.run().await?,
        TableCommand::Scan(command) => command.run().await?,
        TableCommand::Export(command) => command.export().await?,
        TableCommand::Get(command) => return command.run().await,
        TableCommand::Count(command) => command.run().await?,
        TableCommand::Sample(command) => command.run().await?,
        TableCommand::Compact(command) => command.run().await?,
        TableCommand::Import(command) => return command.run().await,
        TableCommand::Load(command) => return command.run().await,
        TableCommand::Check(command) => return command.run().await,
        TableCommand::Migrate(command) => return command.run().await,
        TableCommand::Plan { table, options } => options.run_spec(table).await?,
        TableCommand::Apply(command) => command.run().await?,
        TableCommand::Verify { table, options } => return options.run(table.open().await?).await,
        TableCommand::Watch(command) => return command.run().await,
    }
    Ok(Outcome::Success)
}
