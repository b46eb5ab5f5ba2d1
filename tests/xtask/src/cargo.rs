//! Runs of cargo and other programs: each is printed, and the first failure ends the task.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Environment variables for a program. `None` removes an inherited variable.
pub(crate) type Environment = [(&'static str, Option<OsString>)];

/// Runs cargo, and fails if it fails.
pub(crate) fn cargo(arguments: &[&str], environment: &Environment) -> Result<()> {
    let line = format!("cargo {}", arguments.join(" "));
    run(&line, &mut command(arguments, environment))
}

/// Prints a line, runs a command, prints the seconds that it took, and fails if it fails.
pub(crate) fn run(line: &str, command: &mut Command) -> Result<()> {
    say(&format!("\n> {line}"));
    let start = Instant::now();
    let status = command.status().with_context(|| format!("`{line}` cannot be run"))?;
    let seconds = start.elapsed().as_secs();
    if seconds > 0 {
        say(&format!("  ({seconds} s: {line})"));
    }
    if !status.success() {
        bail!("`{line}` failed");
    }
    Ok(())
}

/// Returns the standard output of a command that succeeds.
///
/// # Errors
///
/// The command cannot be run or fails; the error shows its standard error.
pub(crate) fn output(line: &str, command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("`{line}` cannot be run"))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed:\n{}", reason.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("the output of `{line}` is not UTF-8"))
}

/// Returns a command of the cargo that runs this program, in the folder of the workspace.
pub(crate) fn command(arguments: &[&str], environment: &Environment) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace()).args(arguments);
    set(&mut command, environment);
    command
}

/// Sets environment variables of a command.
pub(crate) fn set(command: &mut Command, environment: &Environment) {
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Fails if a check has findings.
pub(crate) fn none_of(findings: &[String]) -> Result<()> {
    match findings {
        [] => Ok(()),
        _ => bail!("{}", findings.join("\n")),
    }
}

/// Returns the folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

/// Returns the folder of what cargo builds.
pub(crate) fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    workspace().join(target)
}

/// Returns a git command for a tree. It takes the paths of a patch from the folder of the tree,
/// although the tree may lie in an ignored folder of another one.
pub(crate) fn git(tree: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(tree)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree));
    git
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
