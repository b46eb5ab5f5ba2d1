//! The words of the running command, which the lock of a directory and messages name.

use std::sync::OnceLock;

use clap::ArgMatches;

static WORDS: OnceLock<String> = OnceLock::new();

/// Sets the words of the command, such as `fluo table load`, without its arguments, which may be
/// secrets.
pub(crate) fn set(mut matches: &ArgMatches) {
    let mut words = "fluo".to_owned();
    while let Some((name, below)) = matches.subcommand() {
        words = format!("{words} {name}");
        matches = below;
    }
    let _ = WORDS.set(words);
}

/// Returns the words of the command; `fluo` before they are set.
pub(crate) fn get() -> &'static str {
    WORDS.get().map_or("fluo", String::as_str)
}

/// Returns another command of the same group, such as `fluo table verify` for `fluo table apply`.
pub(crate) fn sibling(name: &str) -> String {
    let words = get();
    let group = words.rsplit_once(' ').map_or(words, |(group, _)| group);
    format!("{group} {name}")
}
