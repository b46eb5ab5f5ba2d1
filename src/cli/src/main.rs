//! The command `fluo`: parses its arguments, calls one public function of the libraries, and
//! prints. The help has the exit codes.

#[macro_use]
mod output;
#[macro_use]
mod usage;

mod advise;
mod app;
mod application;
mod arguments;
mod atomic_file;
mod chosen_design;
mod color;
mod command_name;
mod confirm;
mod dead_letters;
mod demo;
mod design;
mod encoding;
mod exit;
mod help;
mod interruption;
mod key;
mod layout;
mod lines;
mod listing;
mod log;
mod masking;
mod mode;
mod monitor;
mod names;
mod notifications;
mod oracle;
mod progress;
mod queue;
#[cfg(unix)]
mod saved_terminal;
mod scan;
mod selection;
mod shell;
mod spec;
mod table;
mod target;
mod text;
mod top;
mod version;
mod wait;
mod wording;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use crate::arguments::{Arguments, Command};
use crate::color::{Color, Stream};
use crate::exit::Outcome;

const PATIENCE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().collect();
    let arguments = match parsed(&words) {
        Ok(arguments) => {
            arguments.color.set();
            arguments
        }
        Err(mut error) => {
            Color::of(&words).set();
            command_name::suggest(&mut error, &Arguments::command());
            let (error, words) = within_lines(error, words);
            return code_of_unparsed(&error, &words);
        }
    };
    mode::set(arguments.json, arguments.quiet);
    let logging = log::start(&arguments, env::var_os("FLUO_LOG"));
    exit::code_of(logging.and_then(|()| run(arguments.command)))
}

fn parsed(words: &[OsString]) -> Result<Arguments, clap::Error> {
    let matches = Arguments::laid_out().try_get_matches_from(words)?;
    command_name::set(&matches);
    Arguments::from_arg_matches(&matches)
}

/// Returns the error of arguments whose control characters are escaped, and these arguments. The
/// message repeats parts of them, which must not begin lines of their own.
fn within_lines(error: clap::Error, words: Vec<OsString>) -> (clap::Error, Vec<OsString>) {
    let shown = words.iter().map(|word| output::shown(&word.to_string_lossy()).into());
    let shown: Vec<OsString> = shown.collect();
    // An argument that is not UTF-8 gets a message of its own.
    if shown == words || error.kind() == ErrorKind::InvalidUtf8 {
        return (error, words);
    }
    // The characters may be the only fault.
    let flat = || {
        let text = error.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        clap::Error::raw(error.kind(), output::shown(text.trim_end()))
    };
    (parsed(&shown).err().unwrap_or_else(flat), shown)
}

/// Returns the exit code of arguments without a command to run: wrong ones, and those for the help
/// or the version. Prints what they ask for, or the error.
fn code_of_unparsed(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = Stream::Output.styled(&error.render());
            exit::code_of(output::write(text.as_bytes()).map(|()| Outcome::Success))
        }
        _ => exit::code_of_usage(error, arguments),
    }
}

fn run(command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Key(command) => key::run(*command),
        // These handle signals themselves: one gives the lead away, the other removes its files.
        Command::Oracle(command) => in_runtime(command.run()),
        Command::Monitor(command) => interruptible(command.run()),
        Command::Top(command) => interruptible(command.run()),
        Command::Demo | Command::Completions(_) | Command::Man(_) if output::is_json() => {
            Err(exit::usage(format!("`{}` prints no data", command_name::get()), "omit --json"))
        }
        Command::Demo => in_runtime(demo::run()),
        Command::Completions(command) => command.run(Arguments::command()),
        Command::Man(command) => command.run(Arguments::command()),
        Command::Version(command) => command.run(),
        Command::Accumulo(_) => {
            // Prints the help, and ends.
            Arguments::laid_out().get_matches_from(["fluo", "help", help::ACCUMULO]);
            Ok(Outcome::Success)
        }
        Command::Table(command) => interruptible(table::run(command)),
        Command::App(command) => interruptible(app::run(command)),
        Command::Scan(command) => interruptible(command.run()),
        Command::Notifications(command) => interruptible(notifications::run(command)),
        Command::Queue(command) => interruptible(queue::run(command)),
        Command::Wait(command) => interruptible(command.run()),
        Command::Advise(command) => interruptible(async move { command.run().await }),
    }
}

/// Runs a command until it ends or a signal arrives.
///
/// A signal takes effect only between two steps of the command: a password prompt restores the
/// terminal's echo, and an embedded table needs no repair. The command runs in its own task, so a
/// blocking command is abandoned.
fn interruptible(
    command: impl Future<Output = anyhow::Result<Outcome>> + Send + 'static,
) -> anyhow::Result<Outcome> {
    in_runtime(async {
        let interrupted = interruption::any()?;
        let mut working = tokio::spawn(command);
        tokio::select! {
            ended = &mut working => ended?,
            code = interrupted => {
                working.abort();
                // Dropping the task releases its resources and clears its progress line.
                let _ = tokio::time::timeout(PATIENCE, working).await;
                exit::tell_interruption(interruption::state(), code);
                Ok(Outcome::Interrupted(code))
            }
        }
    })
}

fn in_runtime(work: impl Future<Output = anyhow::Result<Outcome>>) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    if !matches!(result, Ok(Outcome::Success | Outcome::Difference)) {
        // A thread may still be blocked on input that never arrives.
        runtime.shutdown_timeout(PATIENCE);
    }
    result
}
