//! A table of settings.

use std::ops::Range;

use anyhow::{Error, Result};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use super::Source;

/// Minimum similarity of a name that is suggested in place of an unknown one, as in clap.
const SIMILAR: f64 = 0.7;

/// A table of settings, which knows its place.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    source: &'a Source,
    span: Range<usize>,
    table: DeTable<'a>,
}

impl<'a> Section<'a> {
    /// Parses a whole text.
    pub(crate) fn parse(source: &'a Source) -> Result<Self> {
        let table = DeTable::parse(source.text())
            .map_err(|error| source.error(error.span(), error.message(), ""))?;
        Ok(Self {
            source,
            span: table.span(),
            table: table.into_inner(),
        })
    }

    pub(crate) fn source(&self) -> &'a Source {
        self.source
    }

    /// Returns the place of the table, for [`Source::error`].
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// Returns an error of the whole table.
    pub(crate) fn error(&self, cause: &str, remedy: &str) -> Error {
        self.source.error(Some(self.span()), cause, remedy)
    }

    /// Returns an error of a part of the table.
    pub(crate) fn error_at(&self, span: Range<usize>, cause: &str, remedy: &str) -> Error {
        self.source.error(Some(span), cause, remedy)
    }

    /// Removes a setting, and returns its value. `None` if it is not given.
    ///
    /// # Errors
    ///
    /// The value is of another type; `about` says which values are valid.
    pub(crate) fn take<T: Deserialize<'a>>(
        &mut self,
        name: &str,
        about: &str,
    ) -> Result<Option<T>> {
        let Some(value) = self.table.remove(name) else {
            return Ok(None);
        };
        let span = value.span();
        T::deserialize(ValueDeserializer::from(value))
            .map(Some)
            .map_err(|error| {
                let span = error.span().unwrap_or(span);
                self.error_at(span, error.message(), &format!("`{name}` is {about}"))
            })
    }

    /// Removes a table. `None` if it is not given.
    ///
    /// # Errors
    ///
    /// The value is not a table; `about` says which values are valid.
    pub(crate) fn take_section(&mut self, name: &str, about: &str) -> Result<Option<Self>> {
        let Some(value) = self.table.remove(name) else {
            return Ok(None);
        };
        let cause = format!("`{name}` is not a table");
        self.section(value, &cause, &format!("`{name}` is {about}"))
            .map(Some)
    }

    /// Removes an array of tables; empty if it is not given.
    ///
    /// # Errors
    ///
    /// The value is not an array of tables.
    pub(crate) fn take_sections(&mut self, name: &str) -> Result<Vec<Self>> {
        let Some(value) = self.table.remove(name) else {
            return Ok(Vec::new());
        };
        let cause = format!("`{name}` is not an array of tables");
        let remedy = format!("write [[{name}]], with two brackets, before the settings of each");
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(array) => array
                .into_iter()
                .map(|value| self.section(value, &cause, &remedy))
                .collect(),
            _ => Err(self.error_at(span, &cause, &remedy)),
        }
    }

    fn section(&self, value: Spanned<DeValue<'a>>, cause: &str, remedy: &str) -> Result<Self> {
        let (source, span) = (self.source, value.span());
        match value.into_inner() {
            DeValue::Table(table) => Ok(Self {
                source,
                span,
                table,
            }),
            _ => Err(self.error_at(span, cause, remedy)),
        }
    }

    /// Rejects settings of other names.
    pub(crate) fn check_names(&self, owner: &str, names: &[&str]) -> Result<()> {
        let mut unknown = self.table.keys().filter(|name| {
            let name: &str = name.as_ref();
            !names.contains(&name)
        });
        let Some(unknown) = unknown.next() else {
            return Ok(());
        };
        let name: &str = unknown.as_ref();
        Err(self.error_at(
            unknown.span(),
            &format!("{owner} has no setting `{name}`"),
            &one_of(name, "settings", names),
        ))
    }

    /// Reads all settings as one value. `about` describes the valid values of a setting.
    pub(crate) fn read<T>(
        self,
        read: impl FnOnce(Deserializer<'a>) -> Result<T, toml::de::Error>,
        about: impl Fn(&str) -> &'static str,
    ) -> Result<T> {
        let names = self.table.keys();
        let names: Vec<_> = names
            .map(|name| (name.span().start, name.as_ref().to_string()))
            .collect();
        let table = Spanned::new(self.span.clone(), self.table);
        read(Deserializer::from(table)).map_err(|error| {
            let span = error.span().unwrap_or(self.span);
            // The wrong value follows the name of its setting.
            let before = names.iter().filter(|(start, _)| *start <= span.start);
            let remedy = before
                .max()
                .map(|(_, name)| format!("`{name}` is {}", about(name)));
            let remedy = remedy.unwrap_or_default();
            self.source.error(Some(span), error.message(), &remedy)
        })
    }
}

/// Returns a sentence with the valid names, and the one that is similar to a wrong one.
pub(crate) fn one_of(wrong: &str, nouns: &str, names: &[&str]) -> String {
    let similarity = |name: &&str| strsim::jaro(wrong, name);
    let similar = names.iter().copied();
    let similar = similar
        .filter(|name| similarity(name) > SIMILAR)
        .max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    let meant = similar.map(|name| format!("did you mean `{name}`? "));
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let all = match names.as_slice() {
        [] => format!("there are no {nouns}"),
        names => format!("the {nouns} are {}", names.join(", ")),
    };
    format!("{}{all}", meant.unwrap_or_default())
}
