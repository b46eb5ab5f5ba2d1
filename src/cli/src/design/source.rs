//! A text with settings, and the places in it.

use std::fmt::Display;
use std::ops::Range;

use anyhow::{Error, Result, anyhow};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use crate::exit;
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
        anyhow!("{cause}, {}", self.place(span))
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

    /// Returns the place of a part of the text, as the end of a message.
    pub(crate) fn place(self, span: Option<Range<usize>>) -> String {
        match (self, span) {
            (Self::Argument, _) => "in --design".to_owned(),
            (Self::File { name, .. }, None) => format!("in {name}"),
            (Self::File { name, text, .. }, Some(span)) => {
                let before = text.get(..span.start).unwrap_or(text);
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                format!("at line {line}, column {column} of {name}")
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
            anyhow!("{error}; write [[{path}]]")
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
