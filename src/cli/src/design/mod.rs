//! Key designs with their settings, in TOML or as the argument `--design`, and their descriptions.

mod source;

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use fluo_keys::{
    CompositeRows, DesignSettings, DigestSalt, HashedRows, KeyDesign, Modulo, RandomSalt,
    ReverseTime, Reversed, Unsalted, WebTable,
};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use self::source::{Place, Source};

use crate::{exit, names};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Described {
    #[serde(rename = "design")]
    pub(crate) name: String,
    pub(crate) about: String,
    /// Settings that complete the design, as in the argument; empty if it needs none.
    #[serde(skip_serializing, default)]
    pub(crate) example: String,
    /// The settings, each with its valid values and its default.
    #[serde(skip_serializing)]
    pub(crate) settings: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Catalog {
    designs: Vec<Described>,
}

pub(crate) fn described() -> Result<Vec<Described>> {
    let catalog: Catalog = toml::from_str(include_str!("designs.toml"))
        .context("the descriptions of the designs are wrong")?;
    Ok(catalog.designs)
}

#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Name {
    RowHasher,
    Modulo,
    DigestSalt,
    WebTable,
    Reversed,
    ReverseTime,
    RandomSalt,
    Composite,
    Unsalted,
}

/// Reads a design: its name in `design` unless it is known, and its settings beside it.
pub(crate) fn read_design<'a>(
    source: Source<'a>,
    mut table: Spanned<DeTable<'a>>,
    name: Option<Name>,
) -> Result<KeyDesign> {
    let span = table.span();
    let name = match name {
        Some(name) => Some(name),
        None => source.take(table.get_mut(), "design")?,
    };
    let Some(name) = name else {
        let given =
            table.get_ref().keys().find(|key| names::nearest(key.get_ref(), ["design"]).is_some());
        if let Some(wrong) = given {
            return Err(source.unknown(wrong.span(), wrong.get_ref(), &["design"]));
        }
        let error = source.error(Some(span), "the setting `design` is missing");
        return Err(exit::advised(error, "`fluo key design` lists the names"));
    };
    let settings: Result<DesignSettings> = match name {
        Name::RowHasher => source.read::<HashedRows>(table).map(Into::into),
        Name::Modulo => source.read::<Modulo>(table).map(Into::into),
        Name::DigestSalt => source.read::<DigestSalt>(table).map(Into::into),
        Name::WebTable => source.read::<WebTable>(table).map(Into::into),
        Name::Reversed => source.read::<Reversed>(table).map(Into::into),
        Name::ReverseTime => source.read::<ReverseTime>(table).map(Into::into),
        Name::RandomSalt => source.read::<RandomSalt>(table).map(Into::into),
        Name::Composite => source.read::<CompositeRows>(table).map(Into::into),
        Name::Unsalted => source.read::<Unsalted>(table).map(Into::into),
    };
    let settings = settings.map_err(|error| match name.to_possible_value() {
        Some(name) if !exit::has_advice(&error) => {
            let page = format!("`fluo key design {}` describes the settings", name.get_name());
            exit::advised(error, page)
        }
        _ => error,
    });
    KeyDesign::new(settings?).map_err(|error| source.error(Some(span), error))
}

/// Reads the argument `--design`: the name of a design, and its settings.
///
/// ```text
///  NAME[,KEY=VALUE]..        modulo,buckets=64,over.before=/
/// ```
///
/// A key is that of a spec; a dot leads into a table. A value is a value in TOML, or text without
/// quotes. Commas in quotes or brackets belong to a value.
pub(crate) fn read_argument(argument: &str) -> Result<KeyDesign> {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut parts = split(argument);
    let mut text = format!("design = {}", quoted(parts.next().unwrap_or_default()));
    let mut keys = BTreeSet::new();
    for part in parts {
        let Some((key, value)) = part.split_once('=').filter(|(key, _)| is_key(key)) else {
            bail!(misuse!(
                "`{part}` is not KEY=VALUE, in --design; quote a value with a comma, as in separator=','"
            ));
        };
        if !keys.insert(key) {
            bail!(misuse!("`{part}` sets `{key}` again, in --design; give each setting once"));
        }
        let is_toml = DeValue::parse(value).is_ok() && !value.contains('#');
        let value = if is_toml { value.to_owned() } else { quoted(value) };
        text += &format!("\n{key} = {value}");
    }
    read_design(Source::Argument, Source::Argument.parse(&text)?, None)
}

/// Checks whether a text is a key without quotes, or several with dots between them.
fn is_key(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.split('.').all(|key| !key.is_empty() && key.chars().all(is_part))
}

/// Splits at the commas outside of quotes and brackets. A quote begins after `=` or in brackets.
fn split(argument: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote, mut before) = (0_u32, None, ',');
    argument.split(move |c: char| {
        let is_in_value = depth > 0 || before == '=';
        before = c;
        match (c, quote) {
            (c, Some(open)) => quote = (c != open).then_some(open),
            ('"' | '\'', None) if is_in_value => quote = Some(c),
            ('[' | '{', None) if is_in_value => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && quote.is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_completes_its_design_and_is_needed() {
        for Described { name, example, .. } in described().unwrap() {
            assert_eq!(read_argument(&name).is_ok(), example.is_empty(), "{name}");
            if !example.is_empty() {
                let design = read_argument(&format!("{name},{example}")).unwrap();
                assert_eq!(design.name(), name);
            }
        }
    }

    /// Compares with the messages about an unknown name, which list the names.
    #[test]
    fn describes_all_designs_and_settings_that_are_read() {
        let listed = |argument: &str| {
            let message = read_argument(argument).unwrap_err().to_string();
            let (_, names) = message.split_once("; ").unwrap();
            let names = names.strip_prefix("settings: ").or(names.strip_prefix("designs: "));
            let names = names.unwrap_or_default().split('`').skip(1).step_by(2);
            let mut names: Vec<_> = names.map(str::to_owned).collect();
            names.sort();
            names
        };
        let mut designs = Vec::new();
        for Described { name, settings, .. } in described().unwrap() {
            let mut described: Vec<_> = settings.into_iter().map(|(setting, _)| setting).collect();
            described.sort();
            assert_eq!(listed(&format!("{name},unknown=1")), described, "{name}");
            designs.push(name);
        }
        designs.sort();
        assert_eq!(listed("unknown"), designs);
    }
}
