//! The observers of a program, by column.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_table::coordination::{Application, ObservedColumn, ObserverKind};
use fluo_table::{Column, Error, Result};

use crate::observer::{DeclaredObserver, Observer};
use crate::recipe::Recipe;

/// The observers of a program: at most one for each column, each with a unique id.
///
/// [`ApplicationHandle::observe`](crate::ApplicationHandle::observe) and
/// [`recipe`](crate::ApplicationHandle::recipe) collect them. This type is for programs that open a
/// client from the two ports alone.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Observers, Transaction, observer_fn};
///
/// # fn main() -> fluo_engine::Result<()> {
/// let observer = observer_fn(async |tx: Transaction, row, column| tx.delete(row, &column));
/// let observers = Observers::new().strong(Column::new("page", "links"), "links", observer)?;
/// let again = observer_fn(async |tx: Transaction, row, column| tx.delete(row, &column));
/// assert!(observers.weak(Column::new("page", "links"), "other", again).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Observers {
    by_column: BTreeMap<Column, DeclaredObserver>,
}

impl Observers {
    /// Creates an empty set of observers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a strong observer, which is notified of every value that is set in a column.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the column or the id is taken, the id is empty,
    /// the column is empty or in the family `ntfy`, or the column has a visibility.
    pub fn strong(
        self,
        column: Column,
        id: impl Into<String>,
        observer: impl Observer,
    ) -> Result<Self> {
        let observed = ObservedColumn::new(column, ObserverKind::Strong, id);
        self.with(DeclaredObserver { observed, observer: Some(Arc::new(observer)) })
    }

    /// Adds a weak observer, which is notified when a transaction
    /// [requests](crate::Transaction::notify) it. The errors are those of [`strong`](Self::strong).
    pub fn weak(
        self,
        column: Column,
        id: impl Into<String>,
        observer: impl Observer,
    ) -> Result<Self> {
        let observed = ObservedColumn::new(column, ObserverKind::Weak, id);
        self.with(DeclaredObserver { observed, observer: Some(Arc::new(observer)) })
    }

    /// Adds the observers of a recipe.
    ///
    /// # Errors
    ///
    /// Those of [`Recipe::registration`] and of [`strong`](Self::strong).
    pub fn recipe(self, recipe: &dyn Recipe) -> Result<Self> {
        recipe.registration()?.observers.into_iter().try_fold(self, Self::with)
    }

    /// Returns the observed columns of a new application with these observers, sorted.
    pub fn observed_columns(&self) -> Vec<ObservedColumn> {
        self.by_column.values().map(|declared| declared.observed.clone()).collect()
    }

    /// Checks that an application has these observers. It may have more, which other programs run.
    /// An empty id, as a Java client writes it, matches any id.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the application does not have some of them; the
    /// message lists these.
    pub fn check_declared(&self, application: &Application) -> Result<()> {
        check_none(&[], &self.unknown_to(application))
    }

    /// Checks that these are the observers of an application, each with its code, as a worker
    /// needs them: it gets the notifications of all observed columns.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if observers are missing, extra or different; the
    /// message lists them.
    pub fn check(&self, application: &Application) -> Result<()> {
        let has_code = |stored: &ObservedColumn| {
            let declared = self.by_column.get(&stored.column);
            declared.is_some_and(|one| one.observer.is_some() && is_same(stored, &one.observed))
        };
        let missing: Vec<_> =
            application.observers.iter().filter(|stored| !has_code(stored)).collect();
        check_none(&missing, &self.unknown_to(application))
    }

    pub(super) fn get(&self, column: &Column) -> Option<(&ObservedColumn, &Arc<dyn Observer>)> {
        let declared = self.by_column.get(column)?;
        Some((&declared.observed, declared.observer.as_ref()?))
    }

    pub(crate) fn with(mut self, declared: DeclaredObserver) -> Result<Self> {
        let observed = &declared.observed;
        observed.check()?;
        // Only Java applications have observers without an id; their empty id matches any.
        if observed.id.is_empty() {
            return Err(Error::invalid(format!(
                "the observer of {observed} has no id; give it an id that is unique in the application"
            )));
        }
        observed.check_beside(self.by_column.values().map(|other| &other.observed))?;
        self.by_column.insert(observed.column.clone(), declared);
        Ok(self)
    }

    pub(crate) fn declared(&self) -> impl Iterator<Item = &DeclaredObserver> {
        self.by_column.values()
    }

    fn unknown_to(&self, application: &Application) -> Vec<&ObservedColumn> {
        let stored = &application.observers;
        let is_unknown =
            |observed: &&ObservedColumn| !stored.iter().any(|stored| is_same(stored, observed));
        self.declared().map(|declared| &declared.observed).filter(is_unknown).collect()
    }
}

fn is_same(stored: &ObservedColumn, declared: &ObservedColumn) -> bool {
    stored.column == declared.column
        && stored.kind == declared.kind
        && (stored.id.is_empty() || stored.id == declared.id)
}

/// Rejects observers that are not both in the program and in the application.
fn check_none(missing: &[&ObservedColumn], unknown: &[&ObservedColumn]) -> Result<()> {
    let mut sentences = Vec::new();
    for (what, observed) in [
        ("this program has no observer for", missing),
        ("the application does not observe", unknown),
    ] {
        let mut names: Vec<_> = observed.iter().take(MAX_NAMED).map(ToString::to_string).collect();
        if observed.len() > MAX_NAMED {
            names.push(format!("and {} more", observed.len() - MAX_NAMED));
        }
        if !names.is_empty() {
            sentences.push(format!("{what} {}", names.join(", ")));
        }
    }
    if sentences.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{}; declare the observers of the application, or create it again with these",
        sentences.join("; ")
    )))
}

/// Maximum number of observers that a message names.
const MAX_NAMED: usize = 10;
