//! The observers of a worker, by column.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::{Application, ObservedColumn, ObserverKind};
use fluo_table::{Column, Error, Result};

use crate::client::admin::check_observers;
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

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observed = self
            .by_column
            .values()
            .map(|registered| &registered.observed);
        f.debug_set().entries(observed).finish()
    }
}
