//! `cargo xtask conformance`: the command of the package `fluo-conformance`.

use std::process::ExitCode;

use crate::cargo::{command, say};

const RUN: [&str; 5] = ["run", "--quiet", "--package", "fluo-conformance", "--"];

/// Runs the command, whose exit code is that of the task.
pub(crate) fn conformance(arguments: &[String]) -> ExitCode {
    let arguments = arguments.iter().map(String::as_str);
    let all: Vec<_> = RUN.into_iter().chain(arguments).collect();
    match command(&all, &[]).status() {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            code.map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => {
            say(&format!("error: cargo cannot be run: {error}"));
            ExitCode::FAILURE
        }
    }
}
