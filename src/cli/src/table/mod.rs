//! `fluo table`: tables, and their optimization.

mod apply;
mod apply_progress;
mod bars;
mod check;
mod lifecycle;
mod load;
mod migrate;
mod origin;
mod plan;
mod plan_text;
mod show;
mod system_tables;
mod verdict_text;
mod verify;
mod wait_until_balanced;
mod watch;

use anyhow::Result;
use clap::Subcommand;

use crate::exit::Outcome;
use crate::interrupt_message::Standing;

pub(crate) use self::apply::{ApplyOptions, planned};
pub(crate) use self::bars::bars;
pub(crate) use self::origin::Origin;
pub(crate) use self::plan::PlanOptions;
pub(crate) use self::plan_text::describe as describe_plan;
pub(crate) use self::verdict_text::describe as describe_verdict;
pub(crate) use self::verify::{Check, VerifyArguments};

/// The commands of `fluo table`.
#[derive(Debug, Subcommand)]
pub(crate) enum TableCommand {
    // The help of each command is the doc comment of its arguments.
    Create(lifecycle::Create),
    Delete(lifecycle::Delete),
    List(lifecycle::List),
    Show(show::Show),
    Load(Box<load::Load>),
    Check(check::Check),
    Migrate(migrate::Migrate),
    Plan(plan::PlanCommand),
    Apply(apply::Apply),
    Verify(verify::Verify),
    Watch(watch::Watch),
}

/// Runs a command. Commands that change a table in several steps keep `standing` up to date.
pub(crate) async fn run(command: TableCommand, standing: &Standing) -> Result<Outcome> {
    match command {
        TableCommand::Create(command) => command.run().await?,
        TableCommand::Delete(command) => command.run().await?,
        TableCommand::List(command) => command.run().await?,
        TableCommand::Show(command) => command.run().await?,
        TableCommand::Load(command) => return command.run(standing).await,
        TableCommand::Check(command) => return command.run().await,
        TableCommand::Migrate(command) => return command.run(standing).await,
        TableCommand::Plan(command) => command.run().await?,
        TableCommand::Apply(command) => command.run(standing).await?,
        TableCommand::Verify(command) => return command.run().await,
        TableCommand::Watch(command) => return command.run().await,
    }
    Ok(Outcome::Success)
}
