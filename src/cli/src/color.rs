//! Colors of text for a person.
//!
//! A painted text has marks, characters that Unicode keeps free for such a use. [`Stream::finish`]
//! replaces them by the codes of a terminal, or removes them. [`output`](crate::output) escapes the
//! codes of a terminal in data before that. A mark in data is replaced in messages; elsewhere it
//! can only change a color, and is not printed.

use std::ffi::OsString;
use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use clap::builder::StyledStr;

const END: char = '\u{fdd0}';

/// The meaning of a text, which has a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Good,
    Bad,
    Notice,
    Title,
    Faint,
}

const MEANINGS: [(char, Meaning); 5] = [
    ('\u{fdd1}', Meaning::Good),
    ('\u{fdd2}', Meaning::Bad),
    ('\u{fdd3}', Meaning::Notice),
    ('\u{fdd4}', Meaning::Title),
    ('\u{fdd5}', Meaning::Faint),
];

/// The beginnings of lines that have a meaning in all commands.
const BEGINNINGS: [(&str, Meaning); 13] = [
    ("OK", Meaning::Good),
    ("NOT OK", Meaning::Bad),
    ("error:", Meaning::Bad),
    ("warning:", Meaning::Notice),
    ("note:", Meaning::Faint),
    ("tip:", Meaning::Faint),
    ("Usage:", Meaning::Title),
    ("+ ", Meaning::Good),
    ("done:", Meaning::Good),
    ("- ", Meaning::Bad),
    ("! ", Meaning::Bad),
    ("~ ", Meaning::Notice),
    ("? ", Meaning::Faint),
];

/// The color of the output. `Auto` is color at a terminal, unless `NO_COLOR` is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Returns the color that arguments ask for, which the parser may reject.
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        let options = arguments.iter().take_while(|argument| *argument != "--");
        let options: Vec<_> = options.map(|option| option.to_string_lossy().into_owned()).collect();
        let words: Vec<_> = options.iter().flat_map(|option| option.splitn(2, '=')).collect();
        let asked = words.windows(2).rev().find_map(|pair| match pair {
            ["--color", when] => Self::from_str(when, false).ok(),
            _ => None,
        });
        asked.unwrap_or_default()
    }

    /// Sets the color of all output of the process.
    pub(crate) fn set(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

/// The stream to which a text is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Output,
    Error,
}

impl Stream {
    fn has_color(self) -> bool {
        let choice = match self {
            Self::Output => AutoStream::choice(&io::stdout()),
            Self::Error => AutoStream::choice(&io::stderr()),
        };
        choice != ColorChoice::Never
    }

    /// Replaces the marks of a text.
    pub(crate) fn finish(self, text: &str) -> String {
        replaced(text, self.has_color())
    }

    /// Formats the help.
    pub(crate) fn styled(self, help: &StyledStr) -> String {
        if self.has_color() { help.ansi().to_string() } else { help.to_string() }
    }
}

/// Marks a text.
pub(crate) fn painted(meaning: Meaning, text: &str) -> String {
    match MEANINGS.iter().find(|(_, of)| *of == meaning) {
        Some((mark, _)) => format!("{mark}{text}{END}"),
        None => text.to_owned(),
    }
}

/// Marks the beginning of a line that has a meaning.
pub(crate) fn with_beginning_painted(line: &str) -> String {
    let text = line.trim_start();
    let found = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning));
    let Some((beginning, meaning)) = found else { return line.to_owned() };
    let (indent, _) = line.split_at(line.len() - text.len());
    let (_, rest) = text.split_at(beginning.len());
    format!("{indent}{}{rest}", painted(*meaning, beginning))
}

pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}')
}

fn replaced(text: &str, has_color: bool) -> String {
    if !text.contains(is_mark) {
        return text.to_owned();
    }
    let mut finished = String::with_capacity(text.len());
    for c in text.chars() {
        if !is_mark(c) {
            finished.push(c);
        } else if !has_color {
        } else if let Some((_, meaning)) = MEANINGS.iter().find(|(mark, _)| *mark == c) {
            finished += &meaning.style().render().to_string();
        } else {
            finished += &Style::new().bold().render_reset().to_string();
        }
    }
    finished
}

impl Meaning {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Good => color(AnsiColor::Green),
            Self::Bad => color(AnsiColor::Red).bold(),
            Self::Notice => color(AnsiColor::Yellow),
            Self::Title => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_or_removes_marks() {
        let text = format!("a {} c", painted(Meaning::Good, "b"));
        assert_eq!(replaced(&text, false), "a b c");
        assert_eq!(replaced(&text, true), "a \u{1b}[32mb\u{1b}[0m c");
        for (_, meaning) in MEANINGS {
            assert!(replaced(&painted(meaning, "x"), true).ends_with("x\u{1b}[0m"));
        }
    }

    #[test]
    fn finds_the_color_among_arguments_that_may_be_wrong() {
        for (line, expected) in [
            ("fluo --color always tabel", Color::Always),
            ("fluo tabel --color=never", Color::Never),
            ("fluo --color often table", Color::Auto),
            ("fluo table -- --color always", Color::Auto),
            ("fluo table --color", Color::Auto),
            ("fluo --color never --color always", Color::Always),
        ] {
            let arguments: Vec<_> = line.split(' ').map(OsString::from).collect();
            assert_eq!(Color::of(&arguments), expected, "{line}");
        }
    }

    #[test]
    fn paints_the_beginning_of_a_line() {
        let painted = |line| replaced(&with_beginning_painted(line), true);
        assert_eq!(painted("  + row"), "  \u{1b}[32m+ \u{1b}[0mrow");
        assert_eq!(painted("NOT OK: x"), "\u{1b}[1m\u{1b}[31mNOT OK\u{1b}[0m: x");
        assert_eq!(painted("a + b"), "a + b");
    }
}
