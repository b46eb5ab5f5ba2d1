//! A run of cargo beside others: its output goes to a file, and is printed when it has ended.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{self, Child, Stdio};

use anyhow::{Context, Result, bail};

use crate::cargo::{Environment, command, say, workspace};

/// A running cargo.
pub(crate) struct Background {
    child: Child,
    title: String,
    log: PathBuf,
}

impl Background {
    /// Starts cargo. Its output goes to `target/NAME-PID.log`.
    pub(crate) fn start(
        name: &str,
        arguments: &[&str],
        environment: &Environment,
    ) -> Result<Background> {
        let title = format!("cargo {}", arguments.join(" "));
        let log = workspace().join(format!("target/{name}-{}.log", process::id()));
        let create = || File::create(&log).and_then(|out| Ok((out.try_clone()?, out)));
        let (out, err) =
            create().with_context(|| format!("{} cannot be written", log.display()))?;
        say(&format!(
            "\n> {title}\n  (beside the next ones; output at the end, until then in {})",
            log.display()
        ));
        let child = command(arguments, environment)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .context("cargo cannot be run")?;
        Ok(Background { child, title, log })
    }

    /// Waits until the run has ended, prints its output, and fails if it failed.
    pub(crate) fn finish(mut self) -> Result<()> {
        say(&format!("\n> {}", self.title));
        let status = self.child.wait().context("cargo was lost")?;
        let output = fs::read(&self.log)
            .with_context(|| format!("{} cannot be read", self.log.display()))?;
        // The reader of the output may have ended, and a file that is left does no harm.
        let _ = io::stderr().write_all(&output);
        let _ = fs::remove_file(&self.log);
        if !status.success() {
            bail!("`{}` failed", self.title);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Background;

    #[test]
    fn fails_if_the_run_fails_and_removes_its_log() {
        let run = Background::start("a-failing-test", &["no-such-command"], &[]).unwrap();
        let log = run.log.clone();
        assert!(log.exists());
        let error = run.finish().unwrap_err().to_string();
        assert_eq!(error, "`cargo no-such-command` failed");
        assert!(!log.exists());
    }

    #[test]
    fn succeeds_if_the_run_succeeds() {
        let run = Background::start("a-passing-test", &["--version"], &[]).unwrap();
        run.finish().unwrap();
    }
}
