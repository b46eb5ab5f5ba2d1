//! The observers of a worker, by column.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::{Application, ObservedColumn, ObserverKind};
use fluo_table::{Column, Error, Result};

use crate::observer::Observer;

/// The observers that a worker runs: one for each column, each with a unique id.
///
/// They must be exactly the observers that the application was initialised with, because its
/// clients write notifications for those.
///
/// # Examples
///
/// ```
/// use fluo::{Column, Observers, Transaction, observer_fn};
///
/// # fn main() -> fluo::Result<()> {
/// let observer = observer_fn(async |tx: Transaction, row, column| tx.delete(row, &column));
/// let observers = Observers::new().strong(Column::new("page", "links"), "links", observer)?;
/// let again = observer_fn(async |tx: Transaction, row, column| tx.delete(row, &column));
/// assert!(observers.weak(Column::new("page", "links"), "other", again).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Observers {
    by_column: BTreeMap<Column, Registered>,
}

/// An observer with its registration.
#[derive(Clone)]
pub(super) struct Registered {
    pub(super) observed: ObservedColumn,
    pub(super) observer: Arc<dyn Observer>,
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
        self.with(
            ObservedColumn::new(column, ObserverKind::Strong, id),
            Arc::new(observer),
        )
    }

    /// Adds a weak observer, which is notified when a transaction
    /// [requests](crate::Transaction::notify) it.
    ///
    /// # Errors
    ///
    /// The same as [`strong`](Self::strong).
    pub fn weak(
        self,
        column: Column,
        id: impl Into<String>,
        observer: impl Observer,
    ) -> Result<Self> {
        self.with(
            ObservedColumn::new(column, ObserverKind::Weak, id),
            Arc::new(observer),
        )
    }

    /// Returns the observed columns with which an application has to be initialised for these
    /// observers.
    pub fn observed_columns(&self) -> Vec<ObservedColumn> {
        self.by_column
            .values()
            .map(|registered| registered.observed.clone())
            .collect()
    }

    /// Checks that these are the observers that an application was initialised with. An empty id,
    /// as a Java client writes it, matches any id.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if observers are missing, extra or different; the
    /// message lists them.
    pub fn check(&self, application: &Application) -> Result<()> {
        check_observers(&application.observers, &self.observed_columns())
    }

    pub(super) fn get(&self, column: &Column) -> Option<&Registered> {
        self.by_column.get(column)
    }

    fn with(mut self, observed: ObservedColumn, observer: Arc<dyn Observer>) -> Result<Self> {
        observed.check()?;
        check_named(&observed)?;
        let others = self.by_column.values().map(|other| &other.observed);
        observed.check_beside(others)?;
        let column = observed.column.clone();
        self.by_column
            .insert(column, Registered { observed, observer });
        Ok(self)
    }
}

/// Rejects an observer without an id that a program declares. Only Java applications have such
/// observers; their empty id matches any.
pub(crate) fn check_named(observed: &ObservedColumn) -> Result<()> {
    match observed.id.is_empty() {
        false => Ok(()),
        true => Err(Error::invalid(format!(
            "the observer of {observed} has no id; give it an id that is unique in the application"
        ))),
    }
}

/// Checks that the observers of a program are those of the application: each stored column has one,
/// and there is no other. The ids of observers are compared if an id is stored.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid); the message names the missing observers of each side.
pub fn check_observers(stored: &[ObservedColumn], registered: &[ObservedColumn]) -> Result<()> {
    let is_same = |stored: &ObservedColumn, registered: &ObservedColumn| {
        stored.column == registered.column
            && stored.kind == registered.kind
            && (stored.id.is_empty() || stored.id == registered.id)
    };
    let missing = names(
        stored
            .iter()
            .filter(|stored| !registered.iter().any(|other| is_same(stored, other))),
    );
    let unknown = names(
        registered
            .iter()
            .filter(|registered| !stored.iter().any(|other| is_same(other, registered))),
    );
    if missing.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    let list = |what: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let missing = list("this program has no observer for", missing);
    let unknown = list("the application does not observe", unknown);
    let sentences: Vec<_> = missing.into_iter().chain(unknown).collect();
    Err(Error::invalid(format!(
        "the observers are not those of the application: {}; register those that it was initialised with, or \
         initialise it with these",
        sentences.join("; ")
    )))
}

/// Returns the texts of observed columns, and the number of those beyond a limit.
fn names<'a>(observed: impl Iterator<Item = &'a ObservedColumn>) -> Vec<String> {
    const MOST_TOLD: usize = 10;
    let mut names: Vec<_> = observed.map(ToString::to_string).collect();
    if names.len() > MOST_TOLD {
        let more = names.len() - MOST_TOLD;
        names.truncate(MOST_TOLD);
        names.push(format!("and {more} more"));
    }
    names
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observed = self
            .by_column
            .values()
            .map(|registered| &registered.observed);
        f.debug_set().entries(observed).finish()
    }
}
