//! Reads a design from a table of settings.

use anyhow::Result;
use fluo_keys::{CompositeRows, DesignSettings, KeyDesign, ReverseTime, SaltSettings};
use toml::Spanned;

use super::known::{KNOWN, Known};
use crate::settings::{Section, one_of};

/// The setting that names the design.
pub(crate) const DESIGN: &str = "design";
/// The setting for a salt before the rows of another design.
const SALT: &str = "salt";

/// Reads the design that a table names. The names in `beside` may be in the table as well, for
/// another purpose, and are already removed.
pub(crate) fn read_design(section: Section<'_>, beside: &[&str]) -> Result<KeyDesign> {
    let (source, span) = (section.source(), section.span());
    let settings = read_settings(section, beside)?;
    KeyDesign::new(settings).map_err(|error| source.error(Some(span), error, ""))
}

fn read_settings(mut section: Section<'_>, beside: &[&str]) -> Result<DesignSettings> {
    let names = KNOWN.map(|known| known.name);
    let Some(name) = section.take::<Spanned<String>>(DESIGN, "the name of a design")? else {
        let remedy = one_of("", "designs", &names);
        return Err(section.error("the design has no name", &remedy));
    };
    let Some(known) = Known::named(name.as_ref()) else {
        let cause = format!("there is no design `{}`", name.as_ref());
        let remedy = one_of(name.as_ref(), "designs", &names);
        return Err(section.error_at(name.span(), &cause, &remedy));
    };
    known.read_settings(section, beside)
}

fn read_salt(section: Section<'_>) -> Result<SaltSettings> {
    let (source, span) = (section.source(), section.span());
    match read_settings(section, &[])? {
        DesignSettings::Modulo(salt) => Ok(salt.into()),
        DesignSettings::DigestSalt(salt) => Ok(salt.into()),
        DesignSettings::RandomSalt(salt) => Ok(salt.into()),
        _ => Err(source.error(
            Some(span),
            "this design cannot salt the rows of another one",
            "salts are modulo, digest-salt and random-salt",
        )),
    }
}

impl Known {
    /// Reads the settings of this design from a table.
    pub(crate) fn read_settings(
        &self,
        mut section: Section<'_>,
        beside: &[&str],
    ) -> Result<DesignSettings> {
        let own = self.settings.iter().map(|setting| setting.name);
        let names: Vec<_> = own.chain(beside.iter().copied()).collect();
        section.check_names(&format!("the design {}", self.name), &names)?;
        let is_missing = |name: &str| !section.contains(name);
        let mut required = self.settings.iter().filter(|setting| setting.is_required);
        if let Some(setting) = required.find(|setting| is_missing(setting.name)) {
            let cause = format!("the design {} needs `{}`", self.name, setting.name);
            return Err(section.error(&cause, setting.about));
        }
        let about = |name: &str| {
            let mut settings = self.settings.iter();
            settings
                .find(|setting| setting.name == name)
                .map_or("", |setting| setting.about)
        };
        let salt = section.take_section(SALT, about(SALT))?;
        let salt = salt.map(read_salt).transpose()?;
        Ok(match section.read(self.parse, about)? {
            DesignSettings::ReverseTime(rows) => ReverseTime { salt, ..rows }.into(),
            DesignSettings::Composite(rows) => CompositeRows { salt, ..rows }.into(),
            settings => settings,
        })
    }
}
