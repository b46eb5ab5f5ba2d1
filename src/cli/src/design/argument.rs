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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_commas_outside_of_values() {
        for (argument, parts) in [
            ("modulo", vec!["modulo"]),
            ("modulo,buckets=64", vec!["modulo", "buckets=64"]),
            ("x,a=',',b=\",\"", vec!["x", "a=','", "b=\",\""]),
            ("x,a=[1, 2],b={ c = ',' }", vec!["x", "a=[1, 2]", "b={ c = ',' }"]),
            ("x,a=it's,b=1", vec!["x", "a=it's", "b=1"]),
            ("x,a=,b=]", vec!["x", "a=", "b=]"]),
        ] {
            assert_eq!(split(argument).collect::<Vec<_>>(), parts);
        }
    }

    #[test]
    fn refuses_what_is_no_key_and_a_key_that_is_given_again() {
        for part in ["#buckets=3", "buckets\n[a]\nb=3", "\"buckets\"=3", "=3", "buckets"] {
            let error = read_argument(&format!("modulo,{part}")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{part}` is not KEY=VALUE")), "{error}");
        }
        let error = read_argument("modulo,buckets=3,buckets=4").unwrap_err().to_string();
        assert_eq!(error, "`buckets=4` sets `buckets` again, in --design; give each setting once");
    }

    #[test]
    fn reads_text_without_quotes_and_values_of_toml() {
        for (argument, key) in [
            ("digest-salt,digits=4,separator=-", "9bf0-abc001"),
            ("digest-salt,digits=4,separator='-'", "9bf0-abc001"),
            ("digest-salt,digits=4,separator=','", "9bf0,abc001"),
            ("digest-salt,digits=4,separator=\n", "9bf0\nabc001"),
            ("digest-salt,digits=4,separator=#", "9bf0#abc001"),
            ("digest-salt,digits=4,separator=", "9bf0abc001"),
            ("digest-salt,digits=1,over.first=3,digest=md5", "9abc001"),
            ("digest-salt,digits=1,over={first=3}", "9abc001"),
        ] {
            let design = read_argument(argument).unwrap();
            assert_eq!(design.encode_row(b"abc001").unwrap(), key, "{argument:?}");
        }
    }
}
