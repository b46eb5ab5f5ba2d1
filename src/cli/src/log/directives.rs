//! The value of `FLUO_LOG`: levels, separated by commas, such as `warn,fluo_accumulo=debug`.

use std::ffi::OsString;

use anyhow::{Context, Result, bail};
use tracing_subscriber::filter::LevelFilter;

/// The levels that may be written, in the order of the number of lines.
const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// The levels of all events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directives {
    /// The level of the other targets.
    pub(super) default: LevelFilter,
    /// Targets, which are a crate or a module of it, with their levels.
    pub(super) targets: Vec<(String, LevelFilter)>,
}

/// Parses directives. A part without a target is the level of all other targets, which is `warn`
/// unless given.
///
/// A target without a level is refused, because it is more likely a misspelled level.
///
/// # Errors
///
/// The text is not UTF-8, or a part is neither a level nor a target with a level.
pub(super) fn parse(text: OsString) -> Result<Directives> {
    let text = text.into_string().ok();
    let text = text.context("the environment variable FLUO_LOG is not text")?;
    let mut directives = Directives {
        default: LevelFilter::WARN,
        targets: Vec::new(),
    };
    for part in text.split(',').map(str::trim) {
        let (target, level) = match part.split_once('=') {
            Some((target, level)) => (Some(target.trim()), level.trim()),
            None => (None, part),
        };
        match (target, level_of(level)) {
            (None, Some(level)) => directives.default = level,
            (Some(target), Some(level)) if is_target(target) => {
                directives.targets.push((target.to_owned(), level));
            }
            _ => bail!(
                "`{part}` in FLUO_LOG is no level; write off, error, warn, info, debug, trace, or CRATE=LEVEL, as in \
                 warn,fluo_accumulo=debug"
            ),
        }
    }
    Ok(directives)
}

fn level_of(text: &str) -> Option<LevelFilter> {
    let is_named = |(name, _): &&(&str, LevelFilter)| text.eq_ignore_ascii_case(name);
    LEVELS.iter().find(is_named).map(|(_, level)| *level)
}

/// Checks whether a text is the path of a crate or a module.
fn is_target(text: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.split("::")
        .all(|name| !name.is_empty() && name.bytes().all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_levels_and_targets() {
        let parsed = parse("INFO, fluo_accumulo::oracle=debug,fluo_engine = off".into()).unwrap();
        let targets = [
            ("fluo_accumulo::oracle".to_owned(), LevelFilter::DEBUG),
            ("fluo_engine".to_owned(), LevelFilter::OFF),
        ];
        assert_eq!(parsed.default, LevelFilter::INFO);
        assert_eq!(parsed.targets, targets);
        let parsed = parse("fluo_engine=trace".into()).unwrap();
        assert_eq!(parsed.default, LevelFilter::WARN);
    }

    #[test]
    fn rejects_other_text_with_a_correction() {
        for (text, part) in [
            ("eror", "eror"),
            ("fluo_engine", "fluo_engine"),
            ("warn,", ""),
            ("warn,fluo_engine=loud", "fluo_engine=loud"),
            ("=debug", "=debug"),
            ("fluo_engine[span]=debug", "fluo_engine[span]=debug"),
            ("a::=debug", "a::=debug"),
        ] {
            let error = parse(text.into()).unwrap_err().to_string();
            let expected = format!("`{part}` in FLUO_LOG is no level; write off, error, warn,");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
