//! The command `fluo`: parse, call one public function of the libraries, print.
//!
//! Data goes to standard output, everything else to standard error. The exit code is 0 on success, 1 when a
//! check found a difference, and 2 on bad use or failure.

mod arguments;
mod demo;
mod document;
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
use std::time::Duration;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::exit::Outcome;

/// How long work that nobody needs any more may take to end after a failure.
const PATIENCE: Duration = Duration::from_secs(1);

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
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let result = runtime.block_on(work);
    if result.is_err() {
        // Something may still wait for input that never comes.
        runtime.shutdown_timeout(PATIENCE);
    }
    result
}
