//! Settings given as arguments, converted to the form of a spec.

use anyhow::{Result, anyhow, bail};
use toml::{Table, Value};

use super::expected::{self, Written};
use super::settings::{self, DESIGN, Refusal, SALT};

/// The settings that were given, by argument.
#[derive(Debug)]
pub(super) struct Given(Vec<(&'static str, Option<Value>)>);

/// Returns the setting of a spec that an argument stands for.
fn field_of(flag: &str) -> String {
    match flag {
        "time-encoding" => "encoding".to_owned(),
        "field" => "fields".to_owned(),
        flag => flag.replace('-', "_"),
    }
}

/// The argument for the separator of a salt.
const SALT_SEPARATOR: &str = "salt-separator";

impl Given {
    /// Creates it from all arguments, with the values of those that were given.
    pub(super) fn new(all: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// Returns the arguments that were given.
    pub(super) fn flags(&self) -> impl Iterator<Item = &'static str> {
        let given = self.0.iter().filter(|(_, value)| value.is_some());
        given.map(|(flag, _)| *flag)
    }

    /// Describes a refusal of the settings, with the argument that caused it.
    pub(super) fn told(&self, design: &str, refusal: &Refusal) -> anyhow::Error {
        match refusal.innermost() {
            (Some("separator"), true) => {
                anyhow!(refusal.told(&format!("--{SALT_SEPARATOR}"), Written::AsArgument))
            }
            (Some(field), _) => anyhow!(refusal.told(&self.flag_of(field), Written::AsArgument)),
            (None, _) => anyhow!("the design {design}: {refusal}"),
        }
    }

    /// Returns the argument for a setting, as it is written.
    fn flag_of(&self, field: &str) -> String {
        let flag = self.0.iter().find(|(flag, _)| field_of(flag) == field);
        format!("--{}", flag.map_or(field, |(flag, _)| flag))
    }

    /// Returns the settings of a design, and of the salt before its rows, in the form of a spec.
    ///
    /// # Errors
    ///
    /// An argument that belongs to neither of them, or a missing argument that one of them
    /// requires.
    pub(super) fn table(&self, design: &str, salt: Option<&str>) -> Result<Table> {
        let named = |name: &str| Table::from_iter([(DESIGN.to_owned(), Value::from(name))]);
        let mut settings = named(design);
        if let Some(salt) = salt {
            if !settings::has(design, SALT) {
                return self.refuse("salt", design, None);
            }
            settings.insert(SALT.to_owned(), Value::Table(named(salt)));
        }
        for (flag, value) in &self.0 {
            let Some(value) = value else { continue };
            match (Self::belongs(flag, design, salt), settings.get_mut(SALT)) {
                (Some(Owner::Design(field)), _) => {
                    settings.insert(field, value.clone());
                }
                (Some(Owner::Salt(field)), Some(Value::Table(salt))) => {
                    salt.insert(field, value.clone());
                }
                _ => return self.refuse(flag, design, salt),
            }
        }
        check_missing(design, &settings)?;
        if let (Some(salt), Some(Value::Table(given))) = (salt, settings.get(SALT)) {
            check_missing(salt, given)?;
        }
        Ok(settings)
    }

    fn belongs(flag: &str, design: &str, salt: Option<&str>) -> Option<Owner> {
        let field = field_of(flag);
        match salt {
            _ if settings::has(design, &field) => Some(Owner::Design(field)),
            Some(_) if flag == SALT_SEPARATOR => Some(Owner::Salt("separator".to_owned())),
            Some(salt) if settings::has(salt, &field) => Some(Owner::Salt(field)),
            _ => None,
        }
    }

    fn refuse<T>(&self, flag: &str, design: &str, salt: Option<&str>) -> Result<T> {
        let all = self.0.iter().map(|(flag, _)| *flag);
        let own = all.filter(|flag| Self::belongs(flag, design, salt).is_some());
        let mut own: Vec<_> = own.map(|flag| format!("--{flag}")).collect();
        if own.is_empty() {
            own.push("none".to_owned());
        }
        let salted = salt.map_or(String::new(), |salt| format!(" with the salt {salt}"));
        bail!(
            "--{flag} is not a setting of the design {design}{salted}, which has {}",
            own.join(", ")
        )
    }
}

fn check_missing(design: &str, given: &Table) -> Result<()> {
    let missing = expected::missing(design, |setting| given.contains_key(setting));
    missing.map_or(Ok(()), |sentence| bail!("the design {design}: {sentence}"))
}

/// The owner of an argument, and its name as a setting.
enum Owner {
    Design(String),
    Salt(String),
}
