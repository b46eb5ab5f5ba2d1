//! `fluo key`: key designs on lines of text, without a table.

mod convert;
mod explain;
mod page;
mod shape;
mod spans;

use clap::Subcommand;

use crate::exit::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    // The help of each command is the doc comment of its arguments.
    Add(convert::Add),
    Remove(convert::Remove),
    Splits(shape::Splits),
    Group(shape::Group),
    Explain(explain::Explain),
    Spans(spans::Spans),
    Design(page::Design),
}

pub(crate) fn run(command: KeyCommand) -> anyhow::Result<Outcome> {
    match command {
        KeyCommand::Add(command) => command.run()?,
        KeyCommand::Remove(command) => command.run()?,
        KeyCommand::Splits(command) => command.run()?,
        KeyCommand::Group(command) => command.run()?,
        KeyCommand::Explain(command) => command.run()?,
        KeyCommand::Spans(command) => command.run()?,
        KeyCommand::Design(command) => command.run()?,
    }
    Ok(Outcome::Success)
}
