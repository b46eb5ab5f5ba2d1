//! Tables that fail at chosen calls.

mod admin;
mod plan;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_core::TableAdmin;

use crate::AdminCall;
use plan::Plan;

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The call does nothing, and says so: [`Unavailable`](fluo_core::ErrorKind::Unavailable).
    Before,
    /// The call takes effect, and its answer is lost: [`Uncertain`](fluo_core::ErrorKind::Uncertain), or an
    /// [`Unknown`](fluo_core::Outcome::Unknown) for each conditional mutation.
    After,
    /// The call does nothing, and nobody can tell: answered as [`After`](Fault::After).
    Lost,
    /// Every second of the split points that `add_splits` was to add is added, and nobody can tell: answered as
    /// [`After`](Fault::After). Of any other call there is no half: it is [`Lost`](Fault::Lost).
    Partial,
}

/// Tables that fail at chosen calls, and otherwise are those that they wrap. A clone shares plan and calls.
///
/// Three kinds of calls are counted, each from 0 over the life of the wrapper: changes through the admin
/// port, as [`AdminCall`] lists them; writes of either kind through any handle; scans through any handle.
/// A call that is made to fail is counted and listed like any other. With no faults the wrapper passes the
/// conformance suite.
///
/// To see what becomes of a sequence of steps when each of them fails, count them once, and then fail them
/// one by one:
///
/// ```
/// use std::sync::Arc;
///
/// use fluo_core::{ErrorKind, MemoryTables, Result, TableAdmin, Versions};
/// use fluo_tests::{Fault, FaultyTables};
///
/// async fn steps(tables: &dyn TableAdmin) -> Result<()> {
///     tables.create_table("pages", Versions::default()).await?;
///     tables.add_splits("pages", &["m".into()].into()).await?;
///     tables.set_property("pages", "table.custom.owner", "search").await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let whole = FaultyTables::new(Arc::new(MemoryTables::new()));
/// steps(&whole).await?;
/// for step in 0..whole.calls().len() {
///     let memory = MemoryTables::new();
///     let tables = FaultyTables::new(Arc::new(memory.clone())).fail_call(step, Fault::Before);
///     assert_eq!(steps(&tables).await.unwrap_err().kind(), ErrorKind::Unavailable);
///     assert_eq!(memory.tables().await?.len(), step.min(1));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FaultyTables {
    inner: Arc<dyn TableAdmin>,
    plan: SharedPlan,
    is_row_by_row: bool,
}

/// The plan of one wrapper, of its clones and of the handles opened through them.
#[derive(Clone, Debug, Default)]
struct SharedPlan(Arc<Mutex<Plan>>);

impl FaultyTables {
    /// Wraps tables, with no faults yet.
    pub fn new(inner: Arc<dyn TableAdmin>) -> Self {
        Self {
            inner,
            plan: SharedPlan::default(),
            is_row_by_row: false,
        }
    }

    /// Fails the `n`-th change through the admin port: the one that will stand at `n` in
    /// [`calls`](Self::calls).
    #[must_use]
    pub fn fail_call(self, n: usize, fault: Fault) -> Self {
        self.plan.get().changes.fail(n, fault);
        self
    }

    /// Fails the `n`-th `write`, `write_conditional` or `write_together`.
    #[must_use]
    pub fn fail_write(self, n: usize, fault: Fault) -> Self {
        self.plan.get().writes.fail(n, fault);
        self
    }

    /// Handles write [no rows together](fluo_core::Table::together), as those of a table of many servers.
    #[must_use]
    pub fn row_by_row(self) -> Self {
        Self {
            is_row_by_row: true,
            ..self
        }
    }

    /// Ends the `n`-th scan with [`Unavailable`](fluo_core::ErrorKind::Unavailable) after so many batches.
    #[must_use]
    pub fn fail_scan(self, n: usize, after_batches: usize) -> Self {
        self.plan.get().scans.fail(n, after_batches);
        self
    }

    /// The changes through the admin port so far, in order.
    pub fn calls(&self) -> Vec<AdminCall> {
        self.plan.get().calls.clone()
    }

    /// How many writes of any kind there were so far.
    pub fn writes(&self) -> usize {
        self.plan.get().writes.count()
    }

    /// How many scans there were so far.
    pub fn scans(&self) -> usize {
        self.plan.get().scans.count()
    }
}

impl SharedPlan {
    fn get(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
