//! The settings of a design by name, from a spec or from arguments.

use std::fmt;

use fluo_recipes::DesignSettings;
use serde::Deserialize;
use toml::{Table, Value};

use super::expected::{self, Written, expected};

/// The setting that names the design.
pub(crate) const DESIGN: &str = "design";
/// The setting for a salt before the rows of another design.
pub(crate) const SALT: &str = "salt";

/// An error in the settings of a design.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The wrong setting, if a single one is wrong.
    pub(crate) setting: Option<String>,
    /// The error in the settings of the salt, if the wrong setting is the salt.
    of_salt: Option<Box<Refusal>>,
    /// True if the design has no such setting.
    pub(crate) is_unknown: bool,
    /// The design, and the value that it does not accept.
    wrong: Option<(String, Value)>,
    message: String,
}

impl Refusal {
    /// Returns the wrong setting, and whether it belongs to the salt.
    pub(super) fn innermost(&self) -> (Option<&str>, bool) {
        match &self.of_salt {
            Some(salt) => (salt.setting.as_deref(), true),
            None => (self.setting.as_deref(), false),
        }
    }

    /// Describes the error, for a setting that is written with this name.
    pub(super) fn told(&self, name: &str, written: Written) -> String {
        if let Some(salt) = &self.of_salt {
            return salt.told(name, written);
        }
        match (&self.wrong, &self.setting) {
            (Some((design, value)), Some(setting)) => format!(
                "{name} is {}, not {}",
                expected(design, setting, written),
                expected::shown(value, written)
            ),
            (_, Some(_)) if written == Written::AsArgument => format!("{name}: {}", self.message),
            _ => self.message.clone(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (setting, is_of_salt) = self.innermost();
        if is_of_salt {
            f.write_str("the salt: ")?;
        }
        f.write_str(&self.told(setting.unwrap_or_default(), Written::InSpec))
    }
}

impl std::error::Error for Refusal {}

/// Beginnings of parser messages that are clear to a user, about unknown or missing names. Other
/// messages of the parser mention its own types.
const IN_WORDS: [&str; 4] = [
    "unknown field",
    "unknown variant",
    "missing field",
    "duplicate field",
];

/// Reads settings, including the name of the design.
pub(crate) fn read(settings: &Table) -> Result<DesignSettings, Refusal> {
    parse(settings).map_err(|message| {
        let setting = culprit(settings, &message);
        let value = setting.as_deref().and_then(|name| settings.get(name));
        let of_salt = match (setting.as_deref(), value) {
            (Some(SALT), Some(Value::Table(salt))) => read(salt).err(),
            _ => None,
        };
        // For a setting that is a name or a table, the parser lists the tables as if they were
        // names.
        let is_either = matches!(setting.as_deref(), Some("over" | "length"));
        let is_in_words = IN_WORDS.iter().any(|start| message.starts_with(start))
            && !(is_either && value.is_some_and(Value::is_str));
        let design = settings.get(DESIGN).and_then(Value::as_str);
        let wrong = value.filter(|_| !is_in_words).map(|value| {
            let design = design.unwrap_or_default().to_owned();
            (design, value.clone())
        });
        Refusal {
            is_unknown: setting
                .as_deref()
                .is_some_and(|name| message.starts_with(&format!("unknown field `{name}`"))),
            of_salt: of_salt.map(Box::new),
            setting,
            wrong,
            message,
        }
    })
}

/// Checks whether a design has a setting of this name.
pub(crate) fn has(design: &str, setting: &str) -> bool {
    let alone = Table::from_iter([
        (DESIGN.to_owned(), Value::from(design)),
        (setting.to_owned(), Value::from(true)),
    ]);
    !matches!(parse(&alone), Err(message) if message.starts_with("unknown field"))
}

fn parse(settings: &Table) -> Result<DesignSettings, String> {
    let parsed = DesignSettings::deserialize(Value::Table(settings.clone()));
    parsed.map_err(|error: toml::de::Error| error.message().to_owned())
}

/// Returns the setting that a message is about: the one that causes the same message when it is the
/// only setting. `None` if a setting is missing, which causes the message without any setting.
fn culprit(settings: &Table, message: &str) -> Option<String> {
    let (name, design) = settings.get_key_value(DESIGN)?;
    let bare = Table::from_iter([(name.clone(), design.clone())]);
    let is_wrong = |settings: &Table| parse(settings).is_err_and(|said| said == message);
    if is_wrong(&bare) {
        let is_about_name = !design.is_str() || message.starts_with("unknown variant");
        return is_about_name.then(|| name.clone());
    }
    let is_alone_wrong = |(name, value): &(&String, &Value)| {
        let mut alone = bare.clone();
        alone.insert((*name).clone(), (*value).clone());
        is_wrong(&alone)
    };
    let culprit = settings.iter().find(is_alone_wrong);
    culprit.map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (Option<String>, bool, String) {
        let refusal = read(&toml::from_str(text).unwrap()).unwrap_err();
        let told = refusal.to_string();
        (refusal.setting, refusal.is_unknown, told)
    }

    #[test]
    fn names_the_wrong_setting() {
        for (text, setting, is_unknown, message) in [
            (
                "design = \"modulo\"\nbuckets = 10\nbucket = 3",
                Some("bucket"),
                true,
                "unknown field `bucket`, expected one of `buckets`, ",
            ),
            (
                "design = \"modulo\"\nseparator = \"|\"\nbuckets = \"10\"",
                Some("buckets"),
                false,
                "buckets is a whole number, such as 2, not \"10\"",
            ),
            (
                "design = \"modulo\"\nbuckets = -1",
                Some("buckets"),
                false,
                "buckets is a whole number, such as 2, not -1",
            ),
            (
                "design = \"module\"\nbuckets = 10",
                Some("design"),
                false,
                "unknown variant `module`, expected one of `row-hasher`, ",
            ),
            (
                "design = 3",
                Some("design"),
                false,
                "design is a name in quotes, not 3",
            ),
            (
                "design = \"modulo\"\nof = 3",
                Some("of"),
                false,
                "of is a name in quotes, not 3",
            ),
            (
                "design = \"modulo\"\nover = \"first\"",
                Some("over"),
                false,
                "over is \"whole\", \"entity\", or a table such as { before = \"/\" }, { first = 4 } or { fields = 1 }, not \
                 \"first\"",
            ),
            (
                "design = \"reversed\"\nlength = 10",
                Some("length"),
                false,
                "length is { fixed = 10 }, if all rows have this length, or \"stored\", not 10",
            ),
            (
                "design = \"composite\"\nfields = [\"text\"]",
                Some("fields"),
                false,
                "fields is an array of tables, each with a kind and, if wanted, a name and an order, such as [{ kind = \
                 \"text\" }], not [\"text\"]",
            ),
            (
                "design = \"reverse-time\"\nsalt = { design = \"modulo\", buckets = -1 }",
                Some("salt"),
                false,
                "the salt: buckets is a whole number, such as 2, not -1",
            ),
            (
                "design = \"reverse-time\"\nsalt = \"modulo\"",
                Some("salt"),
                false,
                "salt is a table of the settings of modulo, digest-salt or random-salt, such as { design = \"digest-salt\" \
                 }, not \"modulo\"",
            ),
            ("buckets = 10", None, false, "missing field `design`"),
            (
                "design = \"row-hasher\"",
                None,
                false,
                "missing field `prefix`",
            ),
        ] {
            let (found, unknown, told) = refusal(text);
            assert_eq!((found.as_deref(), unknown), (setting, is_unknown), "{told}");
            assert!(told.starts_with(message), "{told}");
        }
    }

    #[test]
    fn has_finds_the_settings_of_a_design() {
        assert!(has("modulo", "buckets") && has("digest-salt", "digits"));
        assert!(!has("modulo", "digits") && has("row-hasher", "prefix"));
    }
}
