//! The log: events of all libraries, one line each, on standard error.
//!
//! ```text
//! 2026-07-01T12:00:00.000Z WARN fluo_accumulo: the oracle does not lead any more: the session ..
//! ```
//!
//! Warnings and errors are logged unless the arguments or `FLUO_LOG` say otherwise. A line contains
//! neither colors nor other control characters, because data of a table can be in it.

mod line;

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};
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
pub(crate) fn start(verbose: u8, directives: Option<OsString>) -> Result<()> {
    let lines = fmt::layer().event_format(Line).with_ansi(false);
    let subscriber =
        registry().with(lines.with_writer(|| StandardError)).with(targets(verbose, directives)?);
    set_global_default(subscriber).context("the log has started before")
}

fn targets(verbose: u8, directives: Option<OsString>) -> Result<Targets> {
    let given = directives.filter(|directives| !directives.is_empty());
    let given = given.map(parsed).transpose()?;
    let targets = match (verbose, given) {
        (0, None) => Targets::new().with_default(LevelFilter::WARN),
        (0, Some(given)) => given,
        (1, _) => Targets::new().with_default(LevelFilter::INFO),
        (2, _) => Targets::new().with_default(LevelFilter::DEBUG),
        (3.., _) => Targets::new().with_default(LevelFilter::TRACE),
    };
    Ok(targets.with_target(REPORTED, LevelFilter::OFF))
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
        let is_empty = level.is_empty() || target == Some("");
        let level = level.parse::<LevelFilter>().ok().filter(|_| !is_empty);
        targets = match (target, level) {
            (None, Some(level)) => targets.with_default(level),
            (Some(target), Some(level)) => targets.with_target(target, level),
            (_, None) => bail!(
                "`{part}` in FLUO_LOG is no level; write off, error, warn, info, debug, trace, or CRATE=LEVEL"
            ),
        };
    }
    Ok(targets)
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

    #[test]
    fn rejects_other_text_with_a_correction() {
        for (text, part) in [
            ("eror", "eror"),
            ("fluo_engine", "fluo_engine"),
            ("warn,", ""),
            ("warn,fluo_engine=loud", "fluo_engine=loud"),
            ("fluo_engine=", "fluo_engine="),
            ("=debug", "=debug"),
        ] {
            let error = parsed(text.into()).unwrap_err().to_string();
            let expected = format!("`{part}` in FLUO_LOG is no level; write off, error, warn,");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
