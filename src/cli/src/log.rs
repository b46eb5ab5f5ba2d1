//! The log: events of all libraries, one line each, on standard error.
//!
//! ```text
//! 2026-07-01T12:00:00.000000Z  WARN fluo_accumulo::oracle::server::run: the oracle does not lead any more error=..
//! ```
//!
//! Warnings and errors are logged unless the arguments or `FLUO_LOG` say otherwise. A line contains
//! neither colors nor other control characters, because data of a table can be in it.

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::{Context, Result};
use fluo_process::levels;
use tracing::subscriber::set_global_default;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

use crate::arguments::Arguments;
use crate::output;

/// The events that a command reports itself, as its error.
const REPORTED: &str = "fluo_accumulo::oracle::end";

/// Starts the log. The arguments take precedence over `directives`, the value of `FLUO_LOG`.
pub(crate) fn start(arguments: &Arguments, directives: Option<OsString>) -> Result<()> {
    let given = levels(directives, LevelFilter::WARN)?;
    let targets = match arguments.verbose {
        0 if arguments.quiet => Targets::new().with_default(LevelFilter::ERROR),
        0 => given,
        1 => Targets::new().with_default(LevelFilter::INFO),
        2 => Targets::new().with_default(LevelFilter::DEBUG),
        3.. => Targets::new().with_default(LevelFilter::TRACE),
    };
    let lines = fmt::layer().with_ansi(false).with_writer(|| StandardError);
    let targets = targets.with_target(REPORTED, LevelFilter::OFF);
    set_global_default(registry().with(lines).with(targets)).context("the log has started before")
}

struct StandardError;

impl Write for StandardError {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        output::complain_exactly(&output::shown(text.trim_end_matches('\n')));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
