//! How a run ends.

use std::io;
use std::process::ExitCode;

use crate::interruption::Interruption;

/// The end of a run that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Success,
    /// A check found a difference.
    Difference,
    /// Asked to end, before it was done.
    Interrupted(Interruption),
}

/// The exit code; an error goes to standard error with its causes, on one line.
pub(crate) fn code_of(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Difference) => ExitCode::from(1),
        Ok(Outcome::Interrupted(by)) => ExitCode::from(by.exit_code()),
        // Whoever read our output has had enough: `fluo key add .. | head` is no failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            crate::output::say(&format!("error: {}", sentence(&error)));
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.downcast_ref::<io::Error>();
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The error and its causes, leaving out a cause that the sentence before it has told already.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        match told.as_str() {
            "" => told = cause,
            so_far if so_far.contains(&cause) => {}
            _ => told = format!("{told}: {cause}"),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow!("disk full")
            .context("cannot write: disk full")
            .context("load stopped");
        assert_eq!(sentence(&error), "load stopped: cannot write: disk full");
    }
}
