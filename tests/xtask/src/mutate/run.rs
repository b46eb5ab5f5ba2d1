//! A run of cargo in the copy of the tree, with a time limit.

use std::fs::{self, File};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::tree::Tree;
use crate::cargo::command;

/// The pause between two checks whether a command has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// The end of a command.
#[derive(Debug)]
pub(super) struct Run {
    /// `true` if it succeeded; `None` if the time was up.
    pub(super) succeeded: Option<bool>,
    /// The lines of both outputs.
    pub(super) output: String,
}

impl Run {
    /// Runs cargo in the copy. Ends the tests when the time is up.
    pub(super) fn new(tree: &Tree, arguments: &[String], limit: Duration) -> Result<Run> {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let path = tree.log();
        let log = File::create(&path).with_context(|| format!("`{}`", path.display()))?;
        let mut child = command(&arguments, &tree.environment())
            .current_dir(tree.copy())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cargo cannot be run")?;
        let status = wait(&mut child, limit)?;
        let output = fs::read(&path).with_context(|| format!("`{}`", path.display()))?;
        Ok(Run {
            succeeded: status.map(|status| status.success()),
            output: String::from_utf8_lossy(&output).into_owned(),
        })
    }
}

/// Waits for the end of cargo. Returns `None` if the time is up.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= limit {
            break;
        }
        sleep(PAUSE);
    }
    // First its compiler or its test, which would outlive it; it may have none at the moment.
    let parent = child.id().to_string();
    let killed = Command::new("pkill")
        .args(["-KILL", "-P", &parent])
        .status();
    child.kill()?;
    child.wait()?;
    killed.context("`pkill` cannot be run")?;
    Ok(None)
}
