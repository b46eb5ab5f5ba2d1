//! An observer as a program declares it.

use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::ObservedColumn;

use crate::observer::Observer;

/// The column of an observer, and its code if this program runs it.
#[derive(Clone)]
pub(crate) struct DeclaredObserver {
    pub(crate) observed: ObservedColumn,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl fmt::Debug for DeclaredObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.observed, f)
    }
}
