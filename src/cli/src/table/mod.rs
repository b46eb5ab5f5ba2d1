//! `fluo table`: tables, and their optimization.

mod apply;
mod bars;
mod life;
mod load;
mod plan;
mod settling;
mod show;
mod verify;
mod watch;

use anyhow::Result;
use clap::Subcommand;

use crate::exit::Outcome;

pub(crate) use self::bars::bars;
pub(crate) use self::load::write_rows;
pub(crate) use self::plan::describe as describe_plan;
pub(crate) use self::verify::describe as describe_verdict;

/// The commands of `fluo table`.
#[derive(Debug, Subcommand)]
pub(crate) enum TableCommand {
    // The help of each is the page of its arguments.
    Create(life::Create),
    Delete(life::Delete),
    List(life::List),
    Show(show::Show),
    Load(load::Load),
    Plan(plan::PlanCommand),
    Apply(apply::Apply),
    Verify(verify::Verify),
    Watch(watch::Watch),
}

pub(crate) async fn run(command: TableCommand) -> Result<Outcome> {
    match command {
        TableCommand::Create(command) => command.run().await?,
        TableCommand::Delete(command) => command.run().await?,
        TableCommand::List(command) => command.run().await?,
        TableCommand::Show(command) => command.run().await?,
        TableCommand::Load(command) => command.run().await?,
        TableCommand::Plan(command) => command.run().await?,
        TableCommand::Apply(command) => command.run().await?,
        TableCommand::Verify(command) => return command.run().await,
        TableCommand::Watch(command) => return command.run().await,
    }
    Ok(Outcome::Success)
}
