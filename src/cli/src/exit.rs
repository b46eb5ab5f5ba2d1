//! Outcomes and exit codes of a run.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
use fluo_table::{Error, ErrorKind};
use serde::Serialize;
use serde_json::json;

use crate::color::{self, Stream};
use crate::usage::Usage;
use crate::{masking, output};

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
            match output::is_json() {
                true => complain_in_json(&Complaint::new(&error)),
                false => {
                    output::complain(&format!("error: {}", sentence(&error)));
                    let line = error.chain().find_map(|cause| cause.downcast_ref::<Marked>());
                    let line = line.and_then(|marked| marked.line.as_deref());
                    line.into_iter().for_each(output::complain_exactly);
                }
            }
            ExitCode::from(2)
        }
    }
}

/// Returns the exit code of wrong arguments. Prints the error, or in JSON if they ask for that.
pub(crate) fn code_of_usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let message = masking::message_of(error, arguments);
    let mut options = arguments.iter().take_while(|argument| *argument != "--");
    if options.any(|option| option == "--json") {
        complain_in_json(&Complaint::of_usage(&message));
    } else if error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
        output::complain_exactly(Stream::Error.styled(&error.render()).trim_end());
    } else {
        output::complain_lines(&message.trim_end().replace(color::is_mark, "\u{fffd}"));
    }
    ExitCode::from(2)
}

/// Prints the state in which a signal ended the command, if it has one.
pub(crate) fn tell_interruption(state: Option<String>, exit_code: u8) {
    if output::is_json() {
        let message = state.unwrap_or_else(|| "a signal ended the command".to_owned());
        complain_in_json(&Complaint {
            kind: "interrupted",
            message,
            exit_code,
            ..Complaint::none()
        });
    } else if let Some(state) = state {
        output::complain(&format!("interrupted: {state}"));
    }
}

/// An error as JSON.
#[derive(Debug, Serialize)]
struct Complaint {
    kind: &'static str,
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
    exit_code: u8,
}

impl Complaint {
    fn none() -> Self {
        Self { kind: "other", message: String::new(), causes: Vec::new(), hint: None, exit_code: 2 }
    }

    fn new(error: &anyhow::Error) -> Self {
        let advised = error.chain().find_map(|cause| cause.downcast_ref::<Advised>());
        let advice = advised.map(|advised| without_codes(&advised.advice));
        let advice = advice.as_deref();
        let sentence = sentence(error);
        let message = advice
            .and_then(|advice| sentence.strip_suffix(advice)?.strip_suffix("; "))
            .unwrap_or(&sentence);
        // An error with advice has the text of the one below it.
        let causes = error.chain().filter(|cause| !cause.is::<Advised>()).skip(1);
        Self {
            kind: kind_name(error),
            message: message.to_owned(),
            causes: causes.map(|cause| without_codes(&cause.to_string())).collect(),
            hint: advice.map(str::to_owned),
            ..Self::none()
        }
    }

    /// Creates the error from the message about wrong arguments: a paragraph, tips, and the usage.
    fn of_usage(message: &str) -> Self {
        let mut paragraphs = message.split("\n\n");
        let first = paragraphs.next().unwrap_or_default();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let hint = paragraphs.find_map(|text| text.trim_start().strip_prefix("tip: ").map(words));
        let message = words(first.strip_prefix("error: ").unwrap_or(first));
        Self { kind: "usage", message, hint, ..Self::none() }
    }
}

fn complain_in_json(complaint: &Complaint) {
    // A structure of text is always valid JSON.
    if let Ok(line) = output::json_line(&json!({ "error": complaint })) {
        output::complain_exactly(&line);
    }
}

/// Returns the name of the reaction that an error asks for.
fn kind_name(error: &anyhow::Error) -> &'static str {
    match kind(error) {
        Some(ErrorKind::Invalid) => "invalid",
        Some(ErrorKind::NotFound) => "not_found",
        Some(ErrorKind::AlreadyExists) => "already_exists",
        Some(ErrorKind::Denied) => "denied",
        Some(ErrorKind::Unavailable) => "unavailable",
        Some(ErrorKind::Uncertain) => "uncertain",
        Some(ErrorKind::Storage) => "storage",
        Some(ErrorKind::Corrupt) => "corrupt",
        None if error.chain().any(<dyn StdError>::is::<Usage>) => "usage",
        None if error.chain().any(<dyn StdError>::is::<Marked>) => "invalid",
        None if error.chain().any(<dyn StdError>::is::<io::Error>) => "io",
        None => "other",
    }
}

/// Creates the error of wrong arguments, with the advice that follows it.
pub(crate) fn usage(message: impl Into<String>, advice: &str) -> anyhow::Error {
    advised(Usage(message.into()), advice)
}

/// An error in a spec, with the line that it is about.
#[derive(Debug)]
struct Marked {
    message: String,
    line: Option<String>,
}

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Marked {}

/// Creates an error in a spec, which is printed with its line, if there is one.
pub(crate) fn marked(message: String, line: Option<String>) -> anyhow::Error {
    Marked { message, line }.into()
}

/// An error with the advice that follows it.
#[derive(Debug)]
struct Advised {
    error: anyhow::Error,
    advice: String,
}

impl fmt::Display for Advised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", sentence(&self.error), self.advice)
    }
}

impl StdError for Advised {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.error)
    }
}

pub(crate) fn has_advice(error: &anyhow::Error) -> bool {
    error.is::<Advised>()
}

/// Adds advice on what to do to an error.
pub(crate) fn advised(error: impl Into<anyhow::Error>, advice: impl Into<String>) -> anyhow::Error {
    Advised { error: error.into(), advice: advice.into() }.into()
}

/// Joins the error and its causes, without causes that the text before already contains. A cause
/// that only adds words in front of such a text, as in `I/O error: disk full`, is left out, too.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(|cause| without_codes(&cause.to_string())) {
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

/// Removes the numbers of errors of the system, whose words are enough.
fn without_codes(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| {
        let is_number = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
        match part.split_once(')').filter(|(number, _)| is_number(number)) {
            Some((_, rest)) => told + rest,
            None => told + " (os error " + part,
        }
    })
}

pub(crate) fn kind(error: &anyhow::Error) -> Option<ErrorKind> {
    error.chain().find_map(|cause| cause.downcast_ref::<Error>()).map(Error::kind)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    /// The message of an error with a hint was also its first cause.
    #[test]
    fn a_cause_is_below_the_message() {
        let disk = || anyhow!("disk full").context("cannot write");
        let hinted = || advised(disk(), "free some space");
        for error in [disk(), hinted()] {
            assert_eq!(Complaint::new(&error).causes, ["disk full"]);
        }
        let complaint = Complaint::new(&hinted().context("load stopped"));
        assert_eq!(complaint.causes, ["cannot write", "disk full"]);
        assert_eq!(complaint.message, "load stopped: cannot write: disk full");
        assert_eq!(Complaint::new(&usage("no file", "name one")).causes, [""; 0]);
    }

    #[test]
    fn repeats_no_cause() {
        let error = anyhow!("disk full").context("cannot write: disk full").context("load stopped");
        assert_eq!(sentence(&error), "load stopped: cannot write: disk full");
        let error = anyhow!("I/O error: disk full").context("cannot write: disk full");
        assert_eq!(sentence(&error), "cannot write: disk full");
        let error = anyhow!("I/O error: disk lost").context("cannot write: disk full");
        assert_eq!(sentence(&error), "cannot write: disk full: I/O error: disk lost");
        let error = io::Error::from_raw_os_error(2);
        let error = anyhow::Error::from(error).context("cannot read a (os error 1), b");
        assert_eq!(sentence(&error), "cannot read a, b: No such file or directory");
    }
}
