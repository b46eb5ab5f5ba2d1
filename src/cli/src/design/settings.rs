//! The settings of a design by name, from a spec or from arguments.

use std::fmt;

use fluo_recipes::DesignSettings;
use serde::Deserialize;
use toml::{Table, Value};

/// The setting that names the design.
pub(crate) const DESIGN: &str = "design";
/// The setting that is a salt before the rows of another design.
pub(crate) const SALT: &str = "salt";

/// Settings that make no design.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The one that is wrong, if it is one.
    pub(crate) setting: Option<String>,
    /// Whether there is no such setting.
    pub(crate) is_unknown: bool,
    message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// Reads settings, among them the name of the design.
pub(crate) fn read(settings: &Table) -> Result<DesignSettings, Refusal> {
    parse(settings).map_err(|message| {
        let setting = culprit(settings, &message);
        Refusal {
            is_unknown: setting.is_some() && message.starts_with("unknown field"),
            setting,
            message,
        }
    })
}

/// Whether a design has a setting of this name.
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

/// The setting that a message is about: the one of which the same is said where it is the only one. None where
/// something is missing, of which the same is said without any setting.
fn culprit(settings: &Table, message: &str) -> Option<String> {
    let (name, design) = settings.get_key_value(DESIGN)?;
    let bare = Table::from_iter([(name.clone(), design.clone())]);
    let is_wrong = |settings: &Table| parse(settings).is_err_and(|said| said == message);
    if is_wrong(&bare) {
        return message.starts_with("unknown variant").then(|| name.clone());
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
        (refusal.setting, refusal.is_unknown, refusal.message)
    }

    #[test]
    fn the_setting_that_is_wrong_is_named() {
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
                "invalid type: string \"10\", expected u32",
            ),
            (
                "design = \"modulo\"\nbuckets = -1",
                Some("buckets"),
                false,
                "invalid value: integer `-1`, expected u32",
            ),
            (
                "design = \"module\"\nbuckets = 10",
                Some("design"),
                false,
                "unknown variant `module`, expected one of `row-hasher`, ",
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
    fn a_design_knows_its_settings() {
        assert!(has("modulo", "buckets") && has("digest-salt", "digits"));
        assert!(!has("modulo", "digits") && has("row-hasher", "prefix"));
    }
}
