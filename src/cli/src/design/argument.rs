//! The argument `--design`: the name of a design, and its settings.
//!
//! ```text
//!  NAME[,KEY=VALUE]..        modulo,buckets=64,over.before=/
//! ```
//!
//! A key is that of a spec; a dot leads into a table. A value is a value in TOML, or text without
//! quotes. Commas in quotes or brackets belong to a value.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow, bail};
use fluo_keys::KeyDesign;
use toml::de::{DeTable, DeValue};

use super::{Source, read_design};

pub(crate) fn read_argument(argument: &str) -> Result<KeyDesign> {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut parts = split(argument);
    let mut text = format!("design = {}", quoted(parts.next().unwrap_or_default()));
    let mut keys = BTreeSet::new();
    for part in parts {
        let Some((key, value)) = part.split_once('=').filter(|(key, _)| is_key(key)) else {
            bail!(
                "`{part}` is not KEY=VALUE, in --design; quote a value with a comma, as in separator=','"
            );
        };
        if !keys.insert(key) {
            bail!("`{part}` sets `{key}` again, in --design; give each setting once");
        }
        let is_toml = DeValue::parse(value).is_ok() && !value.contains('#');
        let value = if is_toml { value.to_owned() } else { quoted(value) };
        text += &format!("\n{key} = {value}");
    }
    let table = DeTable::parse(&text);
    let table = table.map_err(|error| anyhow!("{}, in --design", error.message()))?;
    read_design(Source::Argument, table, None)
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
