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
use tracing::subscriber::set_global_default;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

use crate::output;

/// The events that a command reports itself, as its error.
const REPORTED: &str = "fluo_accumulo::oracle::end";

/// Starts the log. `verbose` is the number of `-v`, which takes precedence over `directives`, the
/// value of `FLUO_LOG`.
pub(crate) fn start(verbose: u8, directives: Option<OsString>) -> Result<()> {
    let given = directives.filter(|directives| !directives.is_empty()).map(parsed).transpose()?;
    let targets = match verbose {
        0 => given.unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN)),
        1 => Targets::new().with_default(LevelFilter::INFO),
        2 => Targets::new().with_default(LevelFilter::DEBUG),
        3.. => Targets::new().with_default(LevelFilter::TRACE),
    };
    let lines = fmt::layer().with_ansi(false).with_writer(|| StandardError);
    let targets = targets.with_target(REPORTED, LevelFilter::OFF);
    set_global_default(registry().with(lines).with(targets)).context("the log has started before")
}

/// Parses the value of `FLUO_LOG`: levels, separated by commas, such as `warn,fluo_accumulo=debug`.
///
/// A part without a target is the level of all other targets, which is `warn` unless given. A
/// target without a level is refused, because it is more likely a misspelled level.
fn parsed(directives: OsString) -> Result<Targets> {
    let text = directives.into_string().ok();
    let text = text.context("the environment variable FLUO_LOG is not text")?;
    let mut targets = Targets::new().with_default(LevelFilter::WARN);
    for part in text.split(',').map(str::trim) {
        let (target, level) = match part.split_once('=') {
            Some((target, level)) => (Some(target.trim()), level.trim()),
            None => (None, part),
        };
        // An empty level is one of the filter's, but more likely a mistake.
        let level = level.parse().ok().filter(|_| !level.is_empty() && target != Some(""));
        let level: LevelFilter = level.with_context(|| {
            format!("`{part}` in FLUO_LOG is no level; write off, error, warn, info, debug, trace, or CRATE=LEVEL")
        })?;
        targets = match target {
            Some(target) => targets.with_target(target, level),
            None => targets.with_default(level),
        };
    }
    Ok(targets)
}

struct StandardError;

impl Write for StandardError {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        output::say(String::from_utf8_lossy(line).trim_end_matches('\n'));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn parses_levels_and_targets() {
        let text = "INFO, fluo_accumulo::oracle=debug,fluo_engine = off";
        let targets = parsed(text.into()).unwrap();
        assert!(targets.would_enable("fluo_accumulo::oracle", &Level::DEBUG));
        assert!(!targets.would_enable("fluo_engine", &Level::ERROR));
        assert!(targets.would_enable("fluo_table", &Level::INFO));
        let targets = parsed("fluo_engine=trace".into()).unwrap();
        assert!(targets.would_enable("fluo_table", &Level::WARN));
        assert!(!targets.would_enable("fluo_table", &Level::INFO));
    }
}
