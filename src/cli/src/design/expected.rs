//! Messages about the expected values of settings.

use crate::text::shortened;
use toml::Value;

/// The place where a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// In a spec.
    InSpec,
    /// As an argument.
    AsArgument,
}

/// Describes the expected value of a setting.
pub(super) fn expected(design: &str, setting: &str, written: Written) -> &'static str {
    let is_argument = written == Written::AsArgument;
    match (setting, design) {
        ("buckets" | "digits", _) => "a whole number, such as 2",
        ("separator", "composite") => "a single character",
        ("prefix" | "separator", _) => "text",
        ("leading_point", _) => "true or false",
        ("over", "web-table") if is_argument => "registrable-domain or host",
        ("over", "web-table") => "\"registrable-domain\" or \"host\"",
        ("over", _) if is_argument => "whole, before:TEXT, first:COUNT, fields:COUNT or entity",
        ("over", _) => {
            "\"whole\", \"entity\", or a table such as { before = \"/\" }, { first = 4 } or { fields = 1 }"
        }
        ("length", _) if is_argument => "the length that all rows have, such as 10, or stored",
        ("length", _) => "{ fixed = 10 }, if all rows have this length, or \"stored\"",
        ("fields", _) => {
            "an array of tables, each with a kind and, if wanted, a name and an order, such as [{ kind = \"text\" }]"
        }
        ("salt", _) => {
            "a table of the settings of modulo, digest-salt or random-salt, such as { design = \"digest-salt\" }"
        }
        _ => "a name in quotes",
    }
}

/// Returns a sentence that names a required setting if no argument gives it.
pub(super) fn missing(design: &str, is_given: impl Fn(&str) -> bool) -> Option<&'static str> {
    let (setting, sentence) = match design {
        "row-hasher" => (
            "prefix",
            "a row hasher has a prefix, with which all its keys begin: give one, such as --prefix p",
        ),
        "reversed" => (
            "length",
            "reversed rows of variable length cannot be told from keys that were cut short: give the length that all \
             rows have, such as --length 10, or let it be stored with each, with --length stored; a digest-salt takes \
             rows of any length as they are",
        ),
        "random-salt" => (
            "buckets",
            "a random salt needs --buckets, from which its width follows: a salt of unknown width could not be removed \
             from a key again",
        ),
        "composite" => (
            "fields",
            "a composite row has fields: give each in their order, such as --field text --field time:desc",
        ),
        _ => return None,
    };
    (!is_given(setting)).then_some(sentence)
}

/// Returns a value as the user wrote it.
pub(super) fn shown(value: &Value, written: Written) -> String {
    shortened(&match (value, written) {
        (Value::String(text), Written::AsArgument) => text.clone(),
        // A value that is a table in a spec follows a colon, or is alone, in an argument.
        (Value::Table(table), Written::AsArgument) if table.len() == 1 => {
            let values: Vec<_> = table.values().map(ToString::to_string).collect();
            values.concat()
        }
        _ => value.to_string(),
    })
}
