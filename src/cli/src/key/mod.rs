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
    // The help of most commands is the doc comment of their arguments.
    /// Convert rows on standard input to keys on standard output, one a line.
    #[command(after_help = "\
Example:
  $ echo org.wikipedia/accumulo | fluo key add --prefix p
  p:1yl0:org.wikipedia/accumulo
  $ echo abc001 | fluo key add --design digest-salt,digits=4,separator=-
  9bf0-abc001

A row is a line without its newline; an empty line is the empty row. Gzip is decompressed. A byte
order mark is removed, and so are carriage returns if the first line ends in CRLF; otherwise they belong to the row.")]
    Add(convert::Convert),
    /// Convert keys on standard input to rows on standard output, one a line.
    ///
    /// Stops at the first line that is not a key of the design, and prints its number and the
    /// reason. The rows before it are written.
    #[command(after_help = "\
Example:
  $ echo p:1yl0:org.wikipedia/accumulo | fluo key remove --prefix p
  org.wikipedia/accumulo

If a spec has earlier designs, keys of all of them are converted. A key belongs to the newest design that can have
made it, as for readers of the table. The number of keys of earlier designs is printed at the end.")]
    Remove(convert::Convert),
    Splits(shape::Splits),
    Group(shape::Group),
    Explain(explain::Explain),
    Spans(spans::Spans),
    Design(page::Design),
}

pub(crate) fn run(command: KeyCommand) -> anyhow::Result<Outcome> {
    match command {
        KeyCommand::Add(rows) => rows.add()?,
        KeyCommand::Remove(keys) => keys.remove()?,
        KeyCommand::Splits(command) => command.run()?,
        KeyCommand::Group(command) => command.run()?,
        KeyCommand::Explain(command) => return command.run(),
        KeyCommand::Spans(command) => command.run()?,
        KeyCommand::Design(command) => command.run()?,
    }
    Ok(Outcome::Success)
}
