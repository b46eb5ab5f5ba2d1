//! A text with settings, and the places in it.

use std::fmt::Display;
use std::ops::Range;

use anyhow::{Error, Result};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use crate::exit;
use crate::layout::chars_of;
use crate::output;
use crate::wording::{self, Reworded};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Argument,
    File {
        name: &'a str,
        text: &'a str,
        /// The settings of a recipe that are not those of its design.
        others: &'a [&'a str],
    },
}

impl<'a> Source<'a> {
    pub(crate) fn error(self, span: Option<Range<usize>>, cause: impl Display) -> Error {
        self.place(span).error(cause)
    }

    /// Returns the source for a recipe, which also has these settings.
    pub(crate) fn with_others(self, others: &'a [&'a str]) -> Self {
        match self {
            Self::Argument => self,
            Self::File { name, text, .. } => Self::File { name, text, others },
        }
    }

    /// Returns the error of a parser in plain words. `setting` names the setting in the message.
    fn reworded(self, span: Option<Range<usize>>, message: &str, setting: &str) -> Error {
        let mut message = message.to_owned();
        if let (Self::File { others, .. }, "") = (self, setting)
            && message.starts_with("unknown field ")
        {
            others.iter().for_each(|other| message += &format!(", `{other}`"));
        }
        let Reworded { cause, advice } = wording::reworded(&message);
        let error = self.error(span, format!("{cause}{setting}"));
        match advice {
            Some(advice) => exit::advised(error, advice),
            None => error,
        }
    }

    /// Parses the text, which is that of the file.
    pub(crate) fn parse(self, text: &'a str) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(text).map_err(|error| {
            let found = error.span().and_then(|span| text.get(span)).unwrap_or_default();
            match error.message() {
                "duplicate key" if !found.is_empty() => {
                    self.error(error.span(), format!("the setting `{found}` is there twice"))
                }
                message => self.reworded(error.span(), message, ""),
            }
        })
    }

    /// Returns the error of a setting that does not exist.
    pub(crate) fn unknown(self, span: Range<usize>, name: &str, known: &[&str]) -> Error {
        let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("unknown field `{name}`, expected one of {}", known.join(", "));
        self.reworded(Some(span), &message, "")
    }

    /// Returns the place of a part of the text.
    pub(crate) fn place(self, span: Option<Range<usize>>) -> Place {
        match (self, span) {
            (Self::Argument, _) => Place::Argument,
            (Self::File { name, .. }, None) => {
                Place::File { words: format!("in {name}"), line: None }
            }
            (Self::File { name, text, .. }, Some(span)) => {
                let before = text.get(..span.start).unwrap_or(text);
                let number = before.matches('\n').count() + 1;
                let in_line = before.rsplit('\n').next().unwrap_or_default();
                let column = in_line.chars().count() + 1;
                let rest = text.get(before.len() - in_line.len()..).unwrap_or_default();
                let line = rest.lines().next().unwrap_or_default();
                let part = text.get(span).and_then(|part| part.lines().next()).unwrap_or_default();
                Place::File {
                    words: format!("at line {number}, column {column} of {name}"),
                    line: Some(marked(number, line, column - 1, part.chars().count())),
                }
            }
        }
    }

    pub(crate) fn read<T: Deserialize<'a>>(self, table: Spanned<DeTable<'a>>) -> Result<T> {
        T::deserialize(Deserializer::from(table)).map_err(|error| {
            // After the message comes a line with the name of the setting.
            let message = error.to_string();
            let place = message.trim_end().strip_prefix(error.message()).unwrap_or_default();
            self.reworded(error.span(), error.message(), &place.replace('\n', ", "))
        })
    }

    /// Removes a setting from a table, and returns its value. `None` if it is not given.
    pub(crate) fn take<T: Deserialize<'a>>(
        self,
        table: &mut DeTable<'a>,
        name: &str,
    ) -> Result<Option<T>> {
        let Some(value) = table.remove(name) else {
            return Ok(None);
        };
        T::deserialize(ValueDeserializer::from(value)).map(Some).map_err(|error| {
            match error.message().strip_prefix("unknown variant") {
                Some(rest) if name == "design" => {
                    self.reworded(error.span(), &format!("unknown design{rest}"), "")
                }
                _ => self.reworded(error.span(), error.message(), &format!(", in `{name}`")),
            }
        })
    }

    /// Removes an array of tables; empty if it is not given. `path` is its name in headings.
    pub(crate) fn take_tables(
        self,
        table: &mut DeTable<'a>,
        name: &str,
        path: &str,
    ) -> Result<Vec<Spanned<DeTable<'a>>>> {
        let not_tables = |span| {
            let error = self.error(Some(span), format!("`{name}` is not an array of tables"));
            exit::advised(error, format!("write [[{path}]]"))
        };
        let Some(value) = table.remove(name) else {
            return Ok(Vec::new());
        };
        let span = value.span();
        let DeValue::Array(values) = value.into_inner() else {
            return Err(not_tables(span));
        };
        let table = |value: Spanned<DeValue<'a>>| match (value.span(), value.into_inner()) {
            (span, DeValue::Table(table)) => Ok(Spanned::new(span, table)),
            (span, _) => Err(not_tables(span)),
        };
        values.into_iter().map(table).collect()
    }
}

/// The place of an error.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Argument,
    File {
        /// The end of a message.
        words: String,
        line: Option<String>,
    },
}

impl Place {
    pub(crate) fn error(&self, cause: impl Display) -> Error {
        match self {
            Self::Argument => misuse!("{cause}, in --design").into(),
            Self::File { words, line } => exit::marked(format!("{cause}, {words}"), line.clone()),
        }
    }
}

/// Characters of a line before and after the start of the marked part.
const AROUND: usize = 32;

/// Shows a line with its number, and marks a part of it in a line below. A long line is cut.
fn marked(number: usize, line: &str, start: usize, chars: usize) -> String {
    let first = start.saturating_sub(AROUND);
    let plain = |c| if output::is_obeyed(c) { ' ' } else { c };
    let shown: String = line.chars().skip(first).take(2 * AROUND).map(plain).collect();
    let width = |skip, take| chars_of(&shown.chars().skip(skip).take(take).collect::<String>());
    let blanks = " ".repeat(width(0, start - first));
    let marks = "^".repeat(width(start - first, chars).max(1));
    let gutter = " ".repeat(number.to_string().len());
    format!("  {number} | {}\n  {gutter} | {blanks}{marks}", shown.trim_end())
}
