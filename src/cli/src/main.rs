//! The command `fluo`: parse, call one public function of the libraries, print.
//!
//! Data goes to standard output, everything else to standard error. The exit code is 0 on success, 1 when a
//! check found a difference, and 2 on bad use or failure.

mod arguments;
mod demo;
mod encoding;
mod exit;
mod key;
mod lines;
mod output;
mod progress;
mod spec;
mod table;
mod target;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::exit::Outcome;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit::code_of(run(arguments.command))
}

fn run(command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Key(command) => key::run(command),
        Command::Table(command) => in_runtime(table::run(command)),
        Command::Demo => in_runtime(demo::run()),
    }
}

fn in_runtime(work: impl Future<Output = anyhow::Result<Outcome>>) -> anyhow::Result<Outcome> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
