//! The log: events of all libraries, one line each, on standard error.
//!
//! ```text
//! 2026-07-01T12:00:00.000Z WARN fluo_accumulo: the oracle does not lead any more: the session ..
//! ```
//!
//! Warnings and errors are logged unless the arguments or `FLUO_LOG` say otherwise. A line contains
//! neither colors nor other control characters, because data of a table can be in it.

mod directives;
mod line;

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::{Context, Result};
use tracing::subscriber::set_global_default;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

use self::line::Line;
use crate::output;

/// The events that a command reports itself, as its error.
const REPORTED: &str = "fluo_accumulo::oracle::end";

/// Starts the log. `verbose` is the number of `-v`, which takes precedence over `directives`, the
/// value of `FLUO_LOG`.
///
/// # Errors
///
/// The directives are wrong.
pub(crate) fn start(verbose: u8, directives: Option<OsString>) -> Result<()> {
    let lines = fmt::layer().event_format(Line).with_ansi(false);
    let subscriber = registry()
        .with(lines.with_writer(|| StandardError))
        .with(targets(verbose, directives)?);
    set_global_default(subscriber).context("the log has started before")
}

fn targets(verbose: u8, directives: Option<OsString>) -> Result<Targets> {
    let given = directives.filter(|directives| !directives.is_empty());
    let directives = given.map(directives::parse).transpose()?;
    let default = Targets::new().with_target(REPORTED, LevelFilter::OFF);
    Ok(match (verbose, directives) {
        (0, None) => default.with_default(LevelFilter::WARN),
        (0, Some(directives)) => default
            .with_default(directives.default)
            .with_targets(directives.targets),
        (1, _) => default.with_default(LevelFilter::INFO),
        (2, _) => default.with_default(LevelFilter::DEBUG),
        (3.., _) => default.with_default(LevelFilter::TRACE),
    })
}

/// The standard error, above the progress lines.
struct StandardError;

impl Write for StandardError {
    /// Prints a line, which the log writes at once.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        output::say(String::from_utf8_lossy(line).trim_end_matches('\n'));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
