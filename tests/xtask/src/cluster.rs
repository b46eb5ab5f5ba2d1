//! `cargo xtask cluster`, and the cluster of `cargo xtask test`: both run the command
//! `fluo-cluster`.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Subcommand;

use crate::cargo::{command, say, set, workspace};
use crate::parts::Part;

/// The environment variable with options for each `java` command.
const JAVA_OPTIONS: &str = "JDK_JAVA_OPTIONS";

const RUN: [&str; 5] = ["run", "--quiet", "--package", "fluo-cluster", "--"];

/// An operation on the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum What {
    /// Start the cluster, and print how to use it; it continues to run
    Start,
    /// Stop the cluster, with everything in it
    Stop,
    /// Print whether the cluster runs, and how to use it
    Status,
}

/// Runs the command of the package.
pub(crate) fn cluster(what: What) -> Result<()> {
    let lack = Part::Accumulo.lack();
    if what == What::Start && !lack.is_empty() {
        bail!("{}", lack.remedy());
    }
    let name = format!("{what:?}").to_lowercase();
    let status = command(&[&RUN[..], &[&name]].concat(), &[]).status();
    if !status.context("cargo cannot be run")?.success() {
        bail!("`cargo xtask cluster {name}` failed");
    }
    Ok(())
}

/// Returns the environment variable for Java processes that live for a test or for some minutes:
/// compiling their code well, or collecting garbage on many threads, would take longer than it
/// saves. Options that are already there come last, so they win.
pub(crate) fn for_short_lived() -> (&'static str, Option<OsString>) {
    let mut options = OsString::from("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ");
    options.push(env::var_os(JAVA_OPTIONS).unwrap_or_default());
    (JAVA_OPTIONS, Some(options))
}

/// A cluster that ends with this process, also after a failed test, an error or Ctrl-C: the process
/// that holds it reads from a pipe whose other end is here.
pub(crate) struct Held {
    holder: Child,
    state: PathBuf,
}

impl Held {
    /// Starts a cluster with the built command, and waits until it is ready.
    pub(crate) fn start(commands: &Path) -> Result<Held> {
        let state = workspace().join(format!("target/cluster/test-{}.json", process::id()));
        say(&format!("\n> fluo-cluster hold --state {}", state.display()));
        let mut holder = Command::new(commands.join("fluo-cluster"));
        set(&mut holder, &[for_short_lived()]);
        let holder = holder
            .args(["hold", "--state"])
            .arg(&state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the command `fluo-cluster` cannot be run")?;
        let mut held = Held { holder, state };
        if held.says_ready() {
            return Ok(held);
        }
        held.stop(true)?;
        bail!("the cluster for the live tests did not start; `--without-accumulo` runs the rest");
    }

    /// Returns the state file, which contains the address of the cluster for the tests.
    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// Stops the cluster and waits until it has ended.
    pub(crate) fn stop(mut self, keep_logs: bool) -> Result<()> {
        if let Some(mut pipe) = self.holder.stdin.take().filter(|_| keep_logs) {
            // A holder that has already ended has printed the reason.
            let _ = pipe.write_all(b"keep\n");
        }
        // The pipe is closed now, which ends the holder.
        self.holder.wait().context("the holder of the cluster is lost")?;
        Ok(())
    }

    fn says_ready(&mut self) -> bool {
        let mut line = String::new();
        let said =
            self.holder.stdout.as_mut().map(|said| BufReader::new(said).read_line(&mut line));
        matches!(said, Some(Ok(_))) && line.trim() == "ready"
    }
}
