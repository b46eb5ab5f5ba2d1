//! The words of the running command, which the lock of a directory and messages name.

use std::sync::OnceLock;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Command, Error};

use crate::names;

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

/// Adds the commands of other groups to the error of an unknown one: those of its name or, if the
/// parser knows no command like it, of a name like it.
pub(crate) fn suggest(error: &mut Error, all: &Command) {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let words = words_below(all);
    let name = |words: &String| words.rsplit(' ').next().unwrap_or_default().to_owned();
    let of_name = |wanted: &str| -> Vec<_> {
        words.iter().filter(|words| name(words) == wanted).cloned().collect()
    };
    let mut known = of_name(wrong);
    if known.is_empty() && error.get(ContextKind::SuggestedSubcommand).is_none() {
        let names: Vec<_> = words.iter().map(name).collect();
        let nearest = names::nearest(wrong, names.iter().map(String::as_str));
        known = nearest.map(of_name).unwrap_or_default();
    }
    if !known.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(known));
    }
}

/// Returns the words of all commands, such as `fluo table load`.
fn words_below(command: &Command) -> Vec<String> {
    let below = command
        .get_subcommands()
        .flat_map(|below| [below.get_name().to_owned()].into_iter().chain(words_below(below)));
    below.map(|words| format!("{} {words}", command.get_name())).collect()
}

/// Returns another command of the same group, such as `fluo table verify` for `fluo table apply`.
pub(crate) fn sibling(name: &str) -> String {
    let words = get();
    let group = words.rsplit_once(' ').map_or(words, |(group, _)| group);
    format!("{group} {name}")
}
