//! How a task runs cargo: it says what it runs, and stops at the first failure.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Variables for the programs that cargo runs. `None` removes a variable that this process inherited.
pub(crate) type Environment = [(&'static str, Option<OsString>)];

/// Runs cargo, and fails when it does.
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

/// The cargo that runs this, in the folder of the workspace.
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

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

#[expect(
    clippy::print_stderr,
    reason = "what a task does is said to whoever started it"
)]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}
