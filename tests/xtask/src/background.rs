//! Programs that run beside others: their output goes to a file, and is printed when all have
//! ended.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail};

use crate::cargo::{say, workspace};

/// Programs with their names, of which several threads take one after the other.
#[derive(Clone)]
pub(crate) struct Queue(Arc<Mutex<VecDeque<(String, Command)>>>);

impl Queue {
    pub(crate) fn new(programs: Vec<(String, Command)>) -> Queue {
        Queue(Arc::new(Mutex::new(programs.into())))
    }

    fn names(&self) -> String {
        let programs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<_> = programs.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }
}

impl Iterator for Queue {
    type Item = (String, Command);

    fn next(&mut self) -> Option<(String, Command)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Programs that run one after the other, beside this one.
pub(crate) struct Background {
    title: String,
    log: PathBuf,
    thread: JoinHandle<Vec<String>>,
}

impl Background {
    /// Starts the programs. Their output goes to `target/TITLE-PID.log`.
    pub(crate) fn start(title: &str, programs: Queue) -> Result<Background> {
        let log = workspace().join(format!("target/{title}-{}.log", process::id()));
        let out =
            File::create(&log).with_context(|| format!("{} cannot be written", log.display()))?;
        say(&format!(
            "\n> {title}: {}\n  (beside the next ones; output at the end, until then in {})",
            programs.names(),
            log.display()
        ));
        Ok(Background {
            title: title.to_owned(),
            log,
            thread: thread::spawn(move || run_all(programs, &out)),
        })
    }

    /// Waits until the programs have ended, and prints their output.
    ///
    /// # Errors
    ///
    /// A program failed. The error repeats what its tests said, because much output of others may
    /// follow.
    pub(crate) fn finish(self) -> Result<()> {
        let Background { title, log, thread } = self;
        say(&format!("\n> {title}"));
        let failed = thread.join();
        let output = fs::read(&log).with_context(|| format!("{} cannot be read", log.display()))?;
        // The reader of the output may have ended, and a file that is left does no harm.
        let _ = io::stderr().write_all(&output);
        let _ = fs::remove_file(&log);
        match failed {
            Ok(failed) if failed.is_empty() => Ok(()),
            Ok(failed) => {
                let failures = failures(&String::from_utf8_lossy(&output));
                bail!("{failures}{title} failed: {}", failed.join(", "))
            }
            Err(_) => bail!("{title}: the thread that runs the programs panicked"),
        }
    }
}

/// Runs programs one after the other, and returns the names of those that failed.
fn run_all(programs: Queue, mut out: &File) -> Vec<String> {
    let mut failed = Vec::new();
    for (name, mut command) in programs {
        // What cannot be written to the log is only missing there.
        let _ = writeln!(out, "\n> {name}");
        let output = out.try_clone().and_then(|one| Ok((one, out.try_clone()?)));
        let status = output.and_then(|(stdout, stderr)| {
            let command = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
            command.status()
        });
        if let Err(error) = &status {
            let _ = writeln!(out, "{name} cannot be run: {error}");
        }
        if !status.is_ok_and(|status| status.success()) {
            failed.push(name);
        }
    }
    failed
}

/// Returns the parts of an output that contain failures: each begins with the line `failures:`, and
/// ends with the result of the program.
fn failures(output: &str) -> String {
    let mut is_failure = false;
    let lines = output.lines().filter(|line| {
        is_failure = (is_failure || *line == "failures:") && !line.starts_with("> ");
        let is_kept = is_failure;
        is_failure = is_failure && !line.starts_with("test result: ");
        is_kept
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Background, Queue, failures};

    #[test]
    fn repeats_what_failed_tests_said() {
        let output = "
> tests/one
test good ... ok
test bad ... FAILED
failures:
---- bad stdout ----
panicked
failures:
    bad
test result: FAILED. 1 passed; 1 failed

> tests/two
test good ... ok
test result: ok. 1 passed
> tests/killed
failures:
> tests/three
test result: ok. 1 passed
";
        let said = "failures:
---- bad stdout ----
panicked
failures:
    bad
test result: FAILED. 1 passed; 1 failed
failures:
";
        assert_eq!(failures(output), said);
    }

    #[test]
    fn runs_all_programs_names_those_that_fail_and_removes_the_log() {
        let start = |names: &[&str]| {
            let program = |name: &&str| ((*name).to_owned(), Command::new(name));
            let programs = Queue::new(names.iter().map(program).collect());
            Background::start("some-programs", programs).unwrap()
        };
        let run = start(&["false", "/no/such/program", "true"]);
        let log = run.log.clone();
        assert!(log.exists());
        let error = run.finish().unwrap_err().to_string();
        assert_eq!(error, "some-programs failed: false, /no/such/program");
        assert!(!log.exists());
        start(&["true"]).finish().unwrap();
    }
}
