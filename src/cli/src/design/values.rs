//! Parsers of settings with a syntax of their own.

use anyhow::{Result, bail};
use toml::{Table, Value};

/// Parses a whole number. The design checks its range.
pub(super) fn count(text: &str) -> Result<i64, String> {
    text.parse()
        .map_err(|_| "write a whole number, such as 2".to_owned())
}

/// Parses the seed of drawn salts.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    let most = u64::MAX;
    text.parse()
        .map_err(|_| format!("write a whole number from 0 to {most}"))
}

/// Parses a part of a row: its name, or `before:TEXT`, `first:COUNT`, `fields:COUNT`.
pub(super) fn part(text: &str) -> Value {
    match text.split_once(':') {
        Some((name @ "before", text)) => with(name, Value::from(text)),
        Some((name @ ("first" | "fields"), count)) => count.parse::<i64>().map_or_else(
            |_| Value::from(text),
            |count| with(name, Value::from(count)),
        ),
        _ => Value::from(text),
    }
}

/// Parses the length of all rows, or `stored`.
pub(super) fn length(text: &str) -> Value {
    let fixed = |length: i64| with("fixed", Value::from(length));
    text.parse().map_or_else(|_| Value::from(text), fixed)
}

/// Parses the fields of a composite row: `[NAME:]KIND[:asc|:desc]`.
pub(super) fn fields(texts: &[String]) -> Result<Value> {
    texts
        .iter()
        .map(|text| field(text))
        .collect::<Result<Vec<_>>>()
        .map(Value::from)
}

fn field(text: &str) -> Result<Value> {
    let mut parts: Vec<_> = text.split(':').collect();
    let order = match parts.last() {
        Some(&"desc") => Some("descending"),
        Some(&"asc") => Some("ascending"),
        _ => None,
    };
    if order.is_some() {
        parts.pop();
    }
    let (name, kind) = match parts.as_slice() {
        [kind] => ("", *kind),
        [name, kind] => (*name, *kind),
        _ => bail!("--field {text}: a field is KIND, NAME:KIND, or one of these with :desc behind"),
    };
    let order = order.unwrap_or("ascending");
    let settings = [("name", name), ("kind", kind), ("order", order)];
    let settings = settings.map(|(key, value)| (key.to_owned(), Value::from(value)));
    Ok(Value::Table(Table::from_iter(settings)))
}

fn with(name: &str, value: Value) -> Value {
    Value::Table(Table::from_iter([(name.to_owned(), value)]))
}
