//! Hooks that fail chosen calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use fluo_table::coordination::Applications;
use fluo_table::{Cell, CellBatches, Error, ErrorKind, Result, Scan, Table, TableAdmin};
use futures::stream::{self, StreamExt};

use crate::intercepted::unavailable;
use crate::{Call, CoordinationCall, Fault, Hooks, Intercepted};

/// Tables that fail at chosen calls and otherwise forward to the tables that they wrap. A clone
/// shares the plan and the list of calls.
///
/// The wrapper counts three kinds of calls, each from 0: changes through the admin port; writes of
/// any kind through any handle; scans through any handle. It counts a call that fails like any
/// other. Without faults it passes the conformance suite.
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
/// for step in 0..whole.changes() {
///     let memory = MemoryTables::new();
///     let tables = FaultyTables::new(Arc::new(memory.clone())).fail_call(step, Fault::Before);
///     assert_eq!(steps(&tables).await.unwrap_err().kind(), ErrorKind::Unavailable);
///     assert_eq!(memory.tables().await?.len(), step.min(1));
/// }
/// # Ok(())
/// # }
/// ```
pub type FaultyTables = Intercepted<dyn TableAdmin, Faults>;

/// One table that fails at chosen calls, as [`FaultyTables`] do.
pub type FaultyTable = Intercepted<dyn Table, Faults>;

/// Applications that list every call, fail at chosen ones, and otherwise forward to the
/// applications that they wrap. A clone shares the plan and the list of calls.
///
/// The wrapper numbers all calls together, from 0: calls of the applications, and calls of every
/// coordination, transactor and worker that was opened through them. It counts and lists a call
/// that fails like any other. Without faults it passes the conformance suite and records the calls.
///
/// [`Fault::Partial`] equals [`Lost`](Fault::Lost) here. A transactor or a worker whose first call
/// loses its answer is not present (C12). One whose connection is lost stays present until it is
/// dropped.
pub type FaultyApplications = Intercepted<dyn Applications, Faults>;

/// The calls that fail, and the calls so far.
#[derive(Debug, Default)]
pub struct Faults(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
struct Plan {
    changes: Numbered<(), Fault>,
    coordination: Numbered<CoordinationCall, Fault>,
    writes: Numbered<(), Fault>,
    /// The number of batches after which a scan ends.
    scans: Numbered<(), usize>,
    /// The number of cells that scans have yielded.
    cells: usize,
    compactions: usize,
}

/// Calls of one kind in their order, and the faults of some of them.
#[derive(Debug)]
struct Numbered<C, F> {
    calls: Vec<C>,
    faults: BTreeMap<usize, F>,
    cut_off_from: Option<usize>,
}

impl<C, F> Default for Numbered<C, F> {
    fn default() -> Self {
        Self { calls: Vec::new(), faults: BTreeMap::new(), cut_off_from: None }
    }
}

impl<C, F> Numbered<C, F> {
    fn is_cut_off(&self) -> bool {
        self.cut_off_from.is_some_and(|from| self.calls.len() >= from)
    }

    /// Lists a call and returns its fault, if any.
    fn next(&mut self, call: C, cut_off: fn() -> Error) -> Result<Option<F>> {
        let (n, is_cut_off) = (self.calls.len(), self.is_cut_off());
        self.calls.push(call);
        match is_cut_off {
            true => Err(cut_off()),
            false => Ok(self.faults.remove(&n)),
        }
    }
}

fn cut_off() -> Error {
    Error::new(ErrorKind::Storage, "injected fault: the table is cut off")
}

fn disconnected() -> Error {
    let message = "injected fault: the connection is lost permanently; nothing was done";
    Error::new(ErrorKind::Unavailable, message)
}

impl<P: ?Sized> Intercepted<P, Faults> {
    /// Wraps a port without any faults.
    pub fn new(inner: Arc<P>) -> Self {
        Self::with_hooks(inner, Faults::default())
    }

    /// Fails the `n`-th `write`, `write_conditional` or `write_atomically`.
    #[must_use]
    pub fn fail_write(self, n: usize, fault: Fault) -> Self {
        self.hooks().plan().writes.faults.insert(n, fault);
        self
    }

    /// Fails the `n`-th write of any kind and all later calls of a table, permanently. The tables
    /// then have the content that a process leaves that crashes at this point.
    #[must_use]
    pub fn cut_off_from_write(self, n: usize) -> Self {
        self.hooks().plan().writes.cut_off_from = Some(n);
        self
    }

    /// Ends the `n`-th scan with [`Unavailable`](fluo_table::ErrorKind::Unavailable) after this
    /// number of batches.
    #[must_use]
    pub fn fail_scan(self, n: usize, after_batches: usize) -> Self {
        self.hooks().plan().scans.faults.insert(n, after_batches);
        self
    }

    /// Returns the number of writes of any kind so far.
    pub fn writes(&self) -> usize {
        self.hooks().plan().writes.calls.len()
    }

    /// Returns the number of scans so far.
    pub fn scans(&self) -> usize {
        self.hooks().plan().scans.calls.len()
    }

    /// Returns the number of cells that scans have yielded so far.
    pub fn cells(&self) -> usize {
        self.hooks().plan().cells
    }

    /// Returns the number of compactions so far.
    pub fn compactions(&self) -> usize {
        self.hooks().plan().compactions
    }
}

impl FaultyTables {
    /// Fails the `n`-th change through the admin port.
    #[must_use]
    pub fn fail_call(self, n: usize, fault: Fault) -> Self {
        self.hooks().plan().changes.faults.insert(n, fault);
        self
    }

    /// Returns the number of changes through the admin port so far.
    pub fn changes(&self) -> usize {
        self.hooks().plan().changes.calls.len()
    }
}

impl FaultyApplications {
    /// Fails the `n`-th call: the one at index `n` of [`calls`](Self::calls).
    #[must_use]
    pub fn fail_call(self, n: usize, fault: Fault) -> Self {
        self.hooks().plan().coordination.faults.insert(n, fault);
        self
    }

    /// Fails the `n`-th call and all later ones with
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable), as after a permanent loss of the
    /// connection.
    #[must_use]
    pub fn cut_off_from(self, n: usize) -> Self {
        self.hooks().plan().coordination.cut_off_from = Some(n);
        self
    }

    /// Fails every call from now on.
    pub fn cut_off(&self) {
        let calls = &mut self.hooks().plan().coordination;
        calls.cut_off_from = Some(calls.calls.len());
    }

    /// Returns all calls so far, in order.
    pub fn calls(&self) -> Vec<CoordinationCall> {
        self.hooks().plan().coordination.calls.clone()
    }
}

impl Faults {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        lock(&self.0)
    }
}

fn lock(plan: &Mutex<Plan>) -> MutexGuard<'_, Plan> {
    plan.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Hooks for Faults {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        let mut plan = self.plan();
        match call {
            Call::Admin(_) => plan.changes.next((), cut_off),
            Call::Coordination(call) => plan.coordination.next(call.clone(), disconnected),
            Call::Scan(_) if plan.writes.is_cut_off() => Err(cut_off()),
            Call::Scan(_) | Call::Servers => Ok(None),
            Call::Compact { .. } => {
                plan.compactions += 1;
                Ok(None)
            }
            _ => plan.writes.next((), cut_off),
        }
    }

    fn batches(&self, _: &Scan, batches: CellBatches) -> CellBatches {
        let counted = self.0.clone();
        let count = move |batch: &Result<Vec<Cell>>| {
            let cells = batch.as_ref().map_or(0, Vec::len);
            lock(&counted).cells += cells;
        };
        let batches = batches.inspect(count).boxed();
        match self.plan().scans.next((), cut_off) {
            Ok(Some(count)) => {
                let end = stream::once(async { Err(unavailable()) });
                batches.take(count).chain(end).boxed()
            }
            _ => batches,
        }
    }
}
