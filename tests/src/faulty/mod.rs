//! Tables that fail at chosen calls.

mod admin;
mod plan;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_table::TableAdmin;
use plan::Plan;

use crate::AdminCall;

/// The way in which a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The call has no effect and fails with [`Unavailable`](fluo_table::ErrorKind::Unavailable).
    Before,
    /// The call takes effect and its answer is lost. It fails with
    /// [`Uncertain`](fluo_table::ErrorKind::Uncertain), or returns an
    /// [`Unknown`](fluo_table::Outcome::Unknown) for each conditional mutation.
    After,
    /// The call has no effect, and the caller cannot know that: the answer is that of
    /// [`After`](Fault::After).
    Lost,
    /// `add_splits` adds every second split point, and the answer is that of
    /// [`After`](Fault::After). All other calls are atomic; for them this is [`Lost`](Fault::Lost).
    Partial,
}

/// Tables that fail at chosen calls and otherwise forward to the tables that they wrap. A clone
/// shares the plan and the list of calls.
///
/// The wrapper counts three kinds of calls, each from 0: changes through the admin port, as
/// [`AdminCall`] lists them; writes of any kind through any handle; scans through any handle. It
/// counts and lists a call that fails like any other. Without faults it passes the conformance
/// suite.
///
/// To test a sequence of steps with a failure at each step, count the steps first, and then fail
/// them one by one:
///
/// ```
/// use std::sync::Arc;
///
/// use fluo_table::{ErrorKind, MemoryTables, Result, TableAdmin, Versions};
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

/// The plan of one wrapper, its clones, and the handles opened through them.
#[derive(Clone, Debug, Default)]
struct SharedPlan(Arc<Mutex<Plan>>);

impl FaultyTables {
    /// Wraps tables without any faults.
    pub fn new(inner: Arc<dyn TableAdmin>) -> Self {
        Self {
            inner,
            plan: SharedPlan::default(),
            is_row_by_row: false,
        }
    }

    /// Fails the `n`-th change through the admin port: the one at index `n` of
    /// [`calls`](Self::calls).
    #[must_use]
    pub fn fail_call(self, n: usize, fault: Fault) -> Self {
        self.plan.get().changes.fail(n, fault);
        self
    }

    /// Fails the `n`-th `write`, `write_conditional` or `write_atomically`.
    #[must_use]
    pub fn fail_write(self, n: usize, fault: Fault) -> Self {
        self.plan.get().writes.fail(n, fault);
        self
    }

    /// Makes all handles write [no rows together](fluo_table::Table::together), like a table on
    /// several servers.
    #[must_use]
    pub fn row_by_row(self) -> Self {
        Self {
            is_row_by_row: true,
            ..self
        }
    }

    /// Ends the `n`-th scan with [`Unavailable`](fluo_table::ErrorKind::Unavailable) after this
    /// number of batches.
    #[must_use]
    pub fn fail_scan(self, n: usize, after_batches: usize) -> Self {
        self.plan.get().scans.fail(n, after_batches);
        self
    }

    /// Returns the changes through the admin port so far, in order.
    pub fn calls(&self) -> Vec<AdminCall> {
        self.plan.get().calls.clone()
    }

    /// Returns the number of writes of any kind so far.
    pub fn writes(&self) -> usize {
        self.plan.get().writes.count()
    }

    /// Returns the number of scans so far.
    pub fn scans(&self) -> usize {
        self.plan.get().scans.count()
    }
}

impl SharedPlan {
    fn get(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
