//! `fluo key`: the pure part of the recipes, on lines.

mod add;
mod explain;
mod remove;
mod shape;

use clap::Subcommand;

use crate::exit::Outcome;

/// The commands of `fluo key`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Rows on standard input to keys on standard output, one a line
    Add(add::Add),
    /// Keys on standard input to rows on standard output, one a line
    Remove(remove::Remove),
    /// The split points that spread the keys over a number of tablets, one a line
    Splits(shape::Splits),
    /// The balancer's regex for the keys
    Group(shape::Group),
    /// What each part of a key is, and the tablet it falls in
    Explain(explain::Explain),
}

pub(crate) fn run(command: KeyCommand) -> anyhow::Result<Outcome> {
    match command {
        KeyCommand::Add(command) => command.run()?,
        KeyCommand::Remove(command) => command.run()?,
        KeyCommand::Splits(command) => command.run()?,
        KeyCommand::Group(command) => command.run()?,
        KeyCommand::Explain(command) => command.run()?,
    }
    Ok(Outcome::Success)
}
