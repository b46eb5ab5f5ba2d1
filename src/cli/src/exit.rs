//! Outcomes and exit codes of a run.

use std::process::ExitCode;

use fluo_table::{Error, ErrorKind};

use crate::output;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    Difference,
    /// A signal ended the run, with this exit code.
    Interrupted(u8),
}

impl Outcome {
    pub(crate) fn of(is_ok: bool) -> Self {
        if is_ok { Self::Success } else { Self::Difference }
    }
}

/// Returns the exit code. Prints an error to standard error, with its causes, on one line.
pub(crate) fn code_of(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Difference) => ExitCode::from(1),
        Ok(Outcome::Interrupted(code)) => ExitCode::from(code),
        // A closed output, as in `fluo key add ..| head`, is no failure.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {}", sentence(&error));
            ExitCode::from(2)
        }
    }
}

/// Joins the error and its causes, without causes that the text before already contains. A cause
/// that only adds words in front of such a text, as in `I/O error: disk full`, is left out, too.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // The text before the first colon names the kind of an error.
        let without_kind = cause.split_once(": ").map_or(&*cause, |(_, rest)| rest);
        if told.is_empty() {
            told = cause;
        } else if !told.contains(without_kind) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

pub(crate) fn kind(error: &anyhow::Error) -> Option<ErrorKind> {
    error.chain().find_map(|cause| cause.downcast_ref::<Error>()).map(Error::kind)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn repeats_no_cause() {
        let error = anyhow!("disk full").context("cannot write: disk full").context("load stopped");
        assert_eq!(sentence(&error), "load stopped: cannot write: disk full");
        let error = anyhow!("I/O error: disk full").context("cannot write: disk full");
        assert_eq!(sentence(&error), "cannot write: disk full");
        let error = anyhow!("I/O error: disk lost").context("cannot write: disk full");
        assert_eq!(sentence(&error), "cannot write: disk full: I/O error: disk lost");
    }
}
