//! `fluo table`: tables, and their optimization.

mod apply;
mod bars;
mod life;
mod load;
mod plan;
mod show;
mod verify;

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
    /// Make a table of one tablet
    Create(life::Create),
    /// Delete a table and all that is in it
    Delete(life::Delete),
    /// The names of the tables, one a line
    List(life::List),
    /// The tablets of a table, where they are and how full, and its properties
    Show(show::Show),
    /// Hash rows and write them
    Load(load::Load),
    /// What would change to make a table as the spec says; writes nothing
    Plan(plan::PlanCommand),
    /// Make a table as the spec, or a saved plan, says
    Apply(apply::Apply),
    /// Read everything back and say whether the table is as the spec says; exits 1 if not
    Verify(verify::Verify),
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
    }
    Ok(Outcome::Success)
}
