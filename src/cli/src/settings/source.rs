//! A text of settings, and the places in it.

use std::fmt::Display;
use std::ops::Range;

use anyhow::{Error, anyhow};

/// A text of settings in TOML, and its origin.
#[derive(Debug)]
pub(crate) enum Source {
    /// A file.
    File { name: String, text: String },
    /// The argument `--design`. `written` has each setting as the user wrote it, with the end of
    /// its text in TOML.
    Argument {
        text: String,
        written: Vec<(usize, String)>,
    },
}

impl Source {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::File { text, .. } | Self::Argument { text, .. } => text,
        }
    }

    /// Returns an error: the cause, the place, and the remedy if there is one.
    pub(crate) fn error(
        &self,
        span: Option<Range<usize>>,
        cause: impl Display,
        remedy: &str,
    ) -> Error {
        let place = self.place(span);
        match remedy {
            "" => anyhow!("{cause}, {place}"),
            remedy => anyhow!("{cause}, {place}: {remedy}"),
        }
    }

    fn place(&self, span: Option<Range<usize>>) -> String {
        let start = span.map(|span| span.start);
        match (self, start) {
            (Self::File { name, .. }, None) => format!("in {name}"),
            (Self::File { name, text }, Some(start)) => {
                let before = text.get(..start).unwrap_or(text);
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                format!("at line {line}, column {column} of {name}")
            }
            (Self::Argument { written, .. }, start) => {
                let setting = written.iter().find(|(end, _)| start < Some(*end));
                match setting {
                    Some((_, setting)) if start > Some(0) => format!("at `{setting}` of --design"),
                    _ => "in --design".to_owned(),
                }
            }
        }
    }
}
