//! The layout of the help: one line, examples, arguments and options, and details at the end.
//!
//! A page has less than 60 lines, so `-h` and `--help` print the same one. The options for a live
//! Accumulo, which most commands have, are on a page of their own.

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command};

use crate::target::{ACCUMULO_APPLICATIONS, ACCUMULO_LOGIN};

/// The command whose only purpose is its help: the options for a live Accumulo.
pub(crate) const ACCUMULO: &str = "accumulo";

const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// The examples of a command, and everything that its help says beyond its first line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) examples: String,
    pub(crate) details: Vec<String>,
}

impl Text {
    /// Splits the text of a command. Joins the lines of a paragraph, which have the width of the
    /// source.
    pub(crate) fn new(command: &Command) -> Self {
        let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
        let (about, after) = (text(command.get_long_about()), text(command.get_after_help()));
        let (_, about) = about.split_once("\n\n").unwrap_or_default();
        let (examples, after) = match after.split_once("\n\n") {
            Some((examples, after)) if examples.starts_with("Example:") => (examples, after),
            None if after.starts_with("Example:") => (&*after, ""),
            _ => ("", &*after),
        };
        let paragraphs = [about, after].into_iter().flat_map(|text| text.split("\n\n"));
        let details = paragraphs.filter(|text| !text.is_empty()).map(joined).collect();
        Self { examples: examples.to_owned(), details }
    }
}

/// Joins the lines of a paragraph, except indented ones.
fn joined(paragraph: &str) -> String {
    paragraph.replace("\n  ", "\r  ").replace('\n', " ").replace('\r', "\n")
}

/// Lays out the help of a command, and of the commands below it.
pub(crate) fn laid_out(command: Command) -> Command {
    let Text { examples, mut details } = Text::new(&command);
    let is_live = |arg: &Arg| {
        [ACCUMULO_LOGIN, ACCUMULO_APPLICATIONS].map(Some).contains(&arg.get_help_heading())
    };
    let is_hidden = command.get_name() != ACCUMULO && command.get_arguments().any(is_live);
    if is_hidden {
        details.push(format!("Options for a live Accumulo: `fluo help {ACCUMULO}`."));
    }
    let details = Some(details.join("\n\n")).filter(|details| !details.is_empty());
    let details = details.map(StyledStr::from);
    command
        .mut_args(|arg| {
            let hides = is_hidden && is_live(&arg);
            // The parser of the value judges a negative number; it is no option.
            let is_number = arg.get_action().takes_values() && !arg.is_positional();
            short(arg).hide(hides).allow_negative_numbers(is_number)
        })
        .long_about(None)
        .before_help(StyledStr::from(examples))
        .after_help(Resettable::from(details))
        .help_template(TEMPLATE)
        .mut_subcommands(laid_out)
}

/// Describes the values of an argument within its help.
fn short(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    let mut help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if values.iter().all(|value| value.get_help().is_none()) {
        return arg;
    }
    for value in values.iter().filter(|value| !value.is_hide_set()) {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        help += &format!("\n{}: {about}", value.get_name());
    }
    arg.help(help).hide_possible_values(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::all_commands;

    const MAX_LINES: usize = 59;
    const COLUMNS: usize = 80;

    fn page(command: &Command, columns: usize) -> String {
        command.clone().term_width(columns).render_help().to_string()
    }

    /// A page once had 170 lines, most of them about options that few users need.
    #[test]
    fn pages_are_short_at_80_columns() {
        let mut long = Vec::new();
        for (words, command) in all_commands() {
            let page = page(&command, COLUMNS);
            let lines = page.lines().count();
            if lines > MAX_LINES {
                long.push(format!("{words}: {lines} lines"));
            }
            // Only the terminal breaks the line of the usage.
            let lines = page.lines().filter(|line| !line.starts_with("Usage: "));
            let wide = lines.into_iter().find(|line| line.chars().count() > COLUMNS);
            assert_eq!(wide, None, "{words}");
        }
        assert!(long.is_empty(), "{long:#?}");
    }

    /// Paragraphs were once broken at the width of the source, and again at that of the terminal.
    #[test]
    fn no_line_is_broken_twice() {
        for (words, command) in all_commands() {
            let page = page(&command, 0);
            let (_, text) = page.split_once("\nUsage: ").unwrap();
            let lines: Vec<_> = text.lines().skip(1).collect();
            let is_text = |line: &str| line.starts_with(|c: char| !c.is_whitespace());
            for pair in lines.windows(2) {
                assert!(!(is_text(pair[0]) && is_text(pair[1])), "{words}: {pair:?}");
            }
            let (examples, _) = page.split_once("\nUsage: ").unwrap();
            let example = examples.lines().skip(2).find(|line| line.len() > COLUMNS);
            assert_eq!(example, None, "{words}");
        }
    }

    #[test]
    fn examples_come_first() {
        for (words, command) in all_commands() {
            let page = page(&command, COLUMNS);
            let (about, rest) = page.split_once("\n\n").unwrap();
            assert!(!about.contains("Usage:"), "{words}: {page}");
            assert!(rest.starts_with("Example:\n"), "{words}: {page}");
        }
    }

    #[test]
    fn joins_the_lines_of_a_paragraph() {
        let command = Command::new("x")
            .long_about("About\n\nA\nb:\n  c\n  d")
            .after_help("Example:\n  fluo x\n\nE\nf");
        let text = Text::new(&command);
        assert_eq!(text.examples, "Example:\n  fluo x");
        assert_eq!(text.details, ["A b:\n  c\n  d", "E f"]);
    }
}
