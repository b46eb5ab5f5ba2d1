//! The log: events of all libraries, one line each, on standard error.

use std::ffi::OsString;
use std::io;

use fluo_table::{Error, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::environment::set;

/// Starts the log, with the levels in `FLUO_LOG`; `info` unless given. A program that has a log
/// keeps it.
pub(crate) fn start() -> Result<()> {
    let levels = levels(set("FLUO_LOG"), LevelFilter::INFO)?;
    let lines = fmt::layer().with_ansi(false).with_writer(io::stderr);
    // It fails if the program has a log.
    let _ = tracing_subscriber::registry().with(lines).with(levels).try_init();
    Ok(())
}

/// Parses levels, separated by commas, such as `warn,fluo_accumulo=debug`. A part without a target
/// is the level of all other targets; `default` unless given.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for a target without a level, which is more likely a
/// misspelled level, and for text that is not UTF-8. The message names the variable `FLUO_LOG`.
pub fn levels(directives: Option<OsString>, default: LevelFilter) -> Result<Targets> {
    let mut targets = Targets::new().with_default(default);
    let Some(directives) = directives.filter(|directives| !directives.is_empty()) else {
        return Ok(targets);
    };
    let text = directives.into_string();
    let text = text.map_err(|_| Error::invalid("the environment variable FLUO_LOG is not text"))?;
    for part in text.split(',').map(str::trim) {
        let (target, level) = match part.split_once('=') {
            Some((target, level)) => (Some(target.trim()), level.trim()),
            None => (None, part),
        };
        // An empty level is one of the filter's, but more likely a mistake.
        let level = level.parse().ok().filter(|_| !level.is_empty() && target != Some(""));
        let level: LevelFilter = level.ok_or_else(|| {
            Error::invalid(format!(
                "`{part}` in FLUO_LOG is not a level; write off, error, warn, info, debug, trace, or CRATE=LEVEL"
            ))
        })?;
        targets = match target {
            Some(target) => targets.with_target(target, level),
            None => targets.with_default(level),
        };
    }
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn parses_levels_and_targets() {
        let parsed = |text: &str| levels(Some(text.into()), LevelFilter::WARN).unwrap();
        let targets = parsed("INFO, fluo_accumulo::oracle=debug,fluo_engine = off");
        assert!(targets.would_enable("fluo_accumulo::oracle", &Level::DEBUG));
        assert!(!targets.would_enable("fluo_engine", &Level::ERROR));
        assert!(targets.would_enable("fluo_table", &Level::INFO));
        let targets = parsed("fluo_engine=trace");
        assert!(targets.would_enable("fluo_table", &Level::WARN));
        assert!(!targets.would_enable("fluo_table", &Level::INFO));
    }
}
