//! The reference implementation: tables in memory, as simple as the contract allows.
//!
//! It is what the other implementations are compared with, and the table of tests that need no durability.

mod admin;
mod store;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::Store;

use crate::clock::{Clock, SystemClock};

/// Tables in memory. A clone shares them.
///
/// ```
/// use fluo_core::{Authorizations, Column, MemoryTables, Mutation, Scan, Span, TableAdmin, TableExt, Versions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_core::Result<()> {
/// let tables = MemoryTables::new();
/// tables.create_table("pages", Versions::default()).await?;
/// let pages = tables.open_table("pages", Authorizations::none()).await?;
/// pages.write(vec![Mutation::new("org.wikipedia").put(Column::new("page", "uri"), "wikipedia.org")]).await?;
/// assert_eq!(pages.read(Scan::over(Span::all())).await?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryTables {
    tables: Arc<Mutex<BTreeMap<String, Arc<Mutex<Store>>>>>,
    clock: Arc<dyn Clock>,
    servers: usize,
}

impl MemoryTables {
    /// No tables yet, the system's clock, two pretended servers.
    pub fn new() -> Self {
        Self::with(Arc::new(SystemClock), 2)
    }

    /// No tables yet, a clock and a number of pretended servers.
    pub fn with(clock: Arc<dyn Clock>, servers: usize) -> Self {
        Self {
            tables: Arc::default(),
            clock,
            servers,
        }
    }
}

impl Default for MemoryTables {
    fn default() -> Self {
        Self::new()
    }
}

/// A lock whose data is whole even if a holder panicked: every change below is applied after it was checked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
