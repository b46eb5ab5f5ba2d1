//! Recipes: what an application can declare beside single observers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::{ObservedColumn, ObserverKind, shown_settings};
use fluo_table::{Bytes, Column, Error, Escaped, Result};

use crate::observer::{DeclaredObserver, Observer};

/// A part of an application that has rows, settings and observers: a queue, or hashed rows.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Bytes, Column, Error, Instance, InstanceExt, Recipe, Registration, Transaction, observer_fn};
///
/// /// Counts the visits of each page in rows of its own.
/// struct Visits;
///
/// impl Recipe for Visits {
///     fn registration(&self) -> fluo_engine::Result<Registration> {
///         let count = observer_fn(async |tx: Transaction, page: Bytes, _: Column| {
///             tx.set([b"visits:", &page[..]].concat(), &Column::new("visit", "seen"), "1")
///         });
///         Ok(Registration::new("visits", "the visits of pages")
///             .rows("visits:")
///             .require("visits.version", "1")
///             .observe(Column::new("page", "visit"), "visits", count))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let client = Instance::in_memory().application("web").recipe(&Visits).create().await?;
/// assert_eq!(client.application().settings["visits.version"], "1");
/// # Ok(())
/// # }
/// ```
pub trait Recipe {
    /// Returns the registration: the settings, the rows and the observers of the recipe.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if an application cannot have this recipe.
    fn registration(&self) -> Result<Registration>;
}

/// The settings, the rows and the observers of a recipe.
#[derive(Clone)]
#[must_use]
pub struct Registration {
    id: String,
    title: String,
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) required: BTreeSet<String>,
    prefixes: Vec<Bytes>,
    pub(crate) observers: Vec<DeclaredObserver>,
}

impl Registration {
    /// Creates a registration without settings, rows and observers. The id is unique in the
    /// application. Messages name the recipe by its title, such as "the combine queue `wc`".
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            settings: BTreeMap::new(),
            required: BTreeSet::new(),
            prefixes: Vec::new(),
            observers: Vec::new(),
        }
    }

    /// Adds a setting, which a new application stores. An existing one keeps its own.
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// Adds a setting that all programs of the application must have in common.
    pub fn require(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.required.insert(name.clone());
        self.set(name, value)
    }

    /// Adds the rows that begin with a prefix. No other recipe may have rows among them.
    pub fn rows(mut self, prefix: impl Into<Bytes>) -> Self {
        self.prefixes.push(prefix.into());
        self
    }

    /// Adds a strong observer, which is notified of every value that is set in a column.
    pub fn observe(self, column: Column, id: impl Into<String>, observer: impl Observer) -> Self {
        let observed = ObservedColumn::new(column, ObserverKind::Strong, id);
        self.observe_with(observed, Some(Arc::new(observer)))
    }

    /// Adds an observer of a column. `None` stands for one that this program does not run: another
    /// program does.
    pub fn observe_with(
        mut self,
        observed: ObservedColumn,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        self.observers.push(DeclaredObserver { observed, observer });
        self
    }

    /// Rejects a recipe with the id or with rows of another one.
    pub(crate) fn check_beside(&self, other: &Self) -> Result<()> {
        if other.id == self.id {
            return Err(Error::invalid(format!(
                "{} has the id of {}; give each recipe of an application an id of its own",
                self.title, other.title
            )));
        }
        for prefix in &self.prefixes {
            let overlaps = |other: &&Bytes| other.starts_with(prefix) || prefix.starts_with(other);
            if let Some(taken) = other.prefixes.iter().find(overlaps) {
                return Err(Error::invalid(format!(
                    "{} and {} would share rows, which begin with `{}` and `{}`; choose another id for one of them",
                    self.title,
                    other.title,
                    Escaped(prefix),
                    Escaped(taken)
                )));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("title", &self.title)
            .field("settings", &shown_settings(&self.settings))
            .finish_non_exhaustive()
    }
}
