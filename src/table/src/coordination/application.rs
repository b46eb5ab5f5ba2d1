//! The stored configuration of an application.

use std::collections::BTreeMap;
use std::fmt;

use crate::coordination::ObservedColumn;
use crate::data::{Grouped, counted};
use crate::error::{Error, Result};
use crate::table::check_table_name;

/// An application: a table, its observed columns, and settings that all its processes read.
///
/// `Debug` output contains no password: see [`shown_settings`].
///
/// # Examples
///
/// ```
/// use fluo_table::Column;
/// use fluo_table::coordination::{Application, ObservedColumn, ObserverKind};
///
/// let links = Column::new("page", "links");
/// let observed = ObservedColumn::new(links, ObserverKind::Strong, "count");
/// let application = Application::new("8d2fa41c", "web");
/// let application = application.observe(observed).set("web.tablets", "20");
/// assert!(application.check().is_ok());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Application {
    /// An id that distinguishes it from a removed application of the same name: text, usually a
    /// UUID.
    pub id: String,
    /// The name of its table.
    pub table: String,
    /// The observed columns.
    pub observers: Vec<ObservedColumn>,
    /// Settings by name. The values are opaque data; recipes store theirs here. Names that start
    /// with `fluo.` are those of Fluo itself, such as `fluo.worker.num.threads`. Java programs see
    /// all others as the configuration of the application.
    pub settings: BTreeMap<String, String>,
}

impl Application {
    /// The maximum length of the id, in bytes.
    pub const MAX_ID_BYTES: usize = 255;
    /// The maximum number of observed columns.
    pub const MAX_OBSERVERS: usize = 1_000;
    /// The maximum size of all observed columns and the ids of their observers, in bytes.
    pub const MAX_OBSERVER_BYTES: usize = 64 << 10;
    /// The maximum size of all settings, names included, in bytes.
    pub const MAX_SETTINGS_BYTES: usize = 128 << 10;

    /// Creates an application without observers and settings.
    pub fn new(id: impl Into<String>, table: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            table: table.into(),
            observers: Vec::new(),
            settings: BTreeMap::new(),
        }
    }

    /// Adds an observed column.
    #[must_use]
    pub fn observe(mut self, observed: ObservedColumn) -> Self {
        self.observers.push(observed);
        self
    }

    /// Sets a setting.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// Checks all rules; [`initialize`](super::Applications::initialize) calls it too.
    /// `fluo_engine::Observers` must be able to register every observed column, except that
    /// an observer here may have no name.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if a value exceeds its bounds (the message states
    /// them), if a column cannot be observed, or if a column or the name of an observer occurs
    /// twice.
    pub fn check(&self) -> Result<()> {
        self.check_bounds()?;
        for (number, observed) in self.observers.iter().enumerate() {
            observed.check()?;
            observed.check_beside(self.observers.iter().take(number))?;
        }
        Ok(())
    }

    /// Checks the bounds alone. An application may have been initialized by another client that
    /// allows more.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if a value exceeds its bounds; the message states
    /// them.
    pub fn check_bounds(&self) -> Result<()> {
        let is_text = |id: &str| id.bytes().all(|byte| byte.is_ascii_graphic());
        if !(1..=Self::MAX_ID_BYTES).contains(&self.id.len()) || !is_text(&self.id) {
            return Err(Error::invalid(format!(
                "`{}` cannot be the id of an application: it has 1 to {} letters, digits and signs of ASCII",
                crate::data::shown(&self.id),
                Self::MAX_ID_BYTES
            )));
        }
        check_table_name(&self.table)?;
        let size = |observed: &ObservedColumn| observed.column.size_bytes() + observed.id.len();
        let (count, bytes) = (self.observers.len(), self.observers.iter().map(size).sum::<usize>());
        let (most, most_bytes) = (Self::MAX_OBSERVERS, Self::MAX_OBSERVER_BYTES);
        if count > most || bytes > most_bytes {
            return Err(Error::invalid(format!(
                "{} of {} are too many; there are at most {} of {}",
                counted(count, "observed column"),
                counted(bytes, "byte"),
                Grouped::new(most),
                counted(most_bytes, "byte")
            )));
        }
        check_settings(&self.settings)
    }
}

impl fmt::Debug for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Application")
            .field("id", &self.id)
            .field("table", &self.table)
            .field("observers", &self.observers)
            .field("settings", &shown_settings(&self.settings))
            .finish()
    }
}

/// Returns settings as messages and `Debug` output show them: without the values of passwords and
/// secrets, as their names mark them. Java stores the password of Accumulo in the settings of an
/// application.
pub fn shown_settings(settings: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    settings.iter().map(|(name, value)| (name.as_str(), shown_setting(name, value))).collect()
}

/// Returns the value of a setting as messages show it: `***` if its name contains `password` or
/// `secret`, in any case.
pub fn shown_setting<'a>(name: &str, value: &'a str) -> &'a str {
    let name = name.to_ascii_lowercase();
    if ["password", "secret"].iter().any(|word| name.contains(word)) { "***" } else { value }
}

/// Checks settings without their application, as
/// [`update_settings`](super::Coordination::update_settings) does.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) if a name is empty or starts with `fluo.app.`, or if all
/// of them together are too large.
pub fn check_settings(settings: &BTreeMap<String, String>) -> Result<()> {
    if let Some(value) = settings.get("") {
        return Err(Error::invalid(format!(
            "a setting has no name, and the value `{}`; give it a name",
            crate::data::shown(value)
        )));
    }
    let twice =
        |name: &&String| name.starts_with("fluo.app.") && !name.starts_with("fluo.app.fluo.");
    if let Some(name) = settings.keys().find(twice) {
        return Err(Error::invalid(format!(
            "the setting `{}` would get the prefix `fluo.app.` twice; leave the prefix out",
            crate::data::shown(name)
        )));
    }
    let bytes: usize = settings.iter().map(|(name, value)| name.len() + value.len()).sum();
    let most = Application::MAX_SETTINGS_BYTES;
    if bytes > most {
        return Err(Error::invalid(format!(
            "the settings have {}; an application has at most {}, names included",
            counted(bytes, "byte"),
            Grouped::new(most)
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordination::ObserverKind;
    use crate::data::Column;

    fn message(application: &Application) -> String {
        let error = application.check().unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Invalid);
        error.to_string()
    }

    fn observed(family: &'static str) -> ObservedColumn {
        ObservedColumn::new(Column::new(family, "q"), ObserverKind::Strong, "o")
    }

    #[test]
    fn names_the_value_that_exceeds_its_bounds() {
        let good = Application::new("1", "t");
        assert!(good.check().is_ok());
        for id in ["", "a b", "é"] {
            assert_eq!(
                message(&Application::new(id, "t")),
                format!(
                    "`{id}` cannot be the id of an application: it has 1 to 255 letters, digits and signs of ASCII"
                )
            );
        }
        assert!(message(&Application::new("1", "a/b")).contains("cannot be the name of a table"));
        let mut many = good.clone();
        many.observers = vec![observed("f"); 1_001];
        assert_eq!(
            message(&many),
            "1,001 observed columns of 3,003 bytes are too many; there are at most 1,000 of 65,536 bytes"
        );
        let wide = Column::new("f", vec![0; 65_536]);
        let wide = ObservedColumn::new(wide, ObserverKind::Weak, "");
        assert!(
            message(&good.clone().observe(wide)).starts_with("1 observed column of 65,537 bytes")
        );
        assert_eq!(
            message(&good.clone().set("", "v\n")),
            "a setting has no name, and the value `v\\n`; give it a name"
        );
        assert_eq!(
            message(&good.clone().set("fluo.app.x", "1")),
            "the setting `fluo.app.x` would get the prefix `fluo.app.` twice; leave the prefix out"
        );
        assert_eq!(
            message(&good.set("name", "v".repeat(131_072))),
            "the settings have 131,076 bytes; an application has at most 131,072, names included"
        );
    }

    /// The output of a client showed the password of Accumulo, which Java stores.
    #[test]
    fn debug_output_contains_no_password() {
        let application = Application::new("1", "t")
            .set("fluo.accumulo.password", "pa55word")
            .set("recipes.accumulo.writer.q.Password", "pa55word")
            .set("user", "root");
        let shown = format!("{application:?}");
        assert!(!shown.contains("pa55word"), "{shown}");
        assert!(shown.contains("root") && shown.contains("***"), "{shown}");
    }

    /// Such an application could be initialized, but no worker could ever be started for it. The
    /// messages are those of the observers of a worker.
    #[test]
    fn rejects_columns_that_no_worker_could_register() {
        let good = Application::new("1", "t");
        let of = |column, id: &str| ObservedColumn::new(column, ObserverKind::Weak, id);
        let secret = Column::new("f", "q").with_visibility("A");
        for (wrong, expected) in [
            (vec![observed("ntfy")], "the family `ntfy` is reserved for notifications"),
            (vec![of(Column::new("", ""), "o")], "the column is empty"),
            (vec![of(secret, "")], "because it has a visibility"),
            (
                vec![of(Column::new("f", "q"), ""), observed("f")],
                "f:q (strong, `o`) cannot be observed beside f:q (weak); a column has one observer",
            ),
            (
                vec![observed("f"), observed("g")],
                "g:q (strong, `o`) cannot be observed beside f:q (strong, `o`)",
            ),
        ] {
            let application = wrong.into_iter().fold(good.clone(), Application::observe);
            let message = message(&application);
            assert!(message.contains(expected), "{message}");
            assert!(application.check_bounds().is_ok(), "it may be stored: {message}");
        }
        let unnamed = ["f", "g"].map(|family| of(Column::new(family, "q"), ""));
        let unnamed = unnamed.into_iter().fold(good, Application::observe);
        assert!(unnamed.check().is_ok(), "a Java application has no names");
    }
}
