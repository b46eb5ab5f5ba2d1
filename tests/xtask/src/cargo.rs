//! Runs of cargo: each is printed, and the first failure ends the task.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Environment variables for the programs that cargo runs. `None` removes an inherited variable.
pub(crate) type Environment = [(&'static str, Option<OsString>)];

/// Runs cargo, and fails if it fails.
pub(crate) fn cargo(arguments: &[&str], environment: &Environment) -> Result<()> {
    say(&format!("\n> cargo {}", arguments.join(" ")));
    let status = command(arguments, environment)
        .status()
        .context("cargo cannot be run")?;
    if !status.success() {
        bail!("`cargo {}` failed", arguments.join(" "));
    }
    Ok(())
}

/// Returns a command of the cargo that runs this program, in the folder of the workspace.
pub(crate) fn command(arguments: &[&str], environment: &Environment) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace()).args(arguments);
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Returns the folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

/// Prints the result of a task.
#[expect(clippy::print_stdout, reason = "the result is for pipes")]
pub(crate) fn print(text: &str) {
    println!("{text}");
}

/// Prints a line of progress.
#[expect(clippy::print_stderr, reason = "a task prints its progress")]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}
