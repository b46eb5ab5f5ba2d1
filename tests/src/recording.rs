//! Hooks that record calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use fluo_table::{CellBatches, Result, Scan, TableAdmin};
use futures::stream::StreamExt;

use crate::{AdminCall, Call, Fault, Hooks, Intercepted};

/// Counts of the calls through the data port, over all handles, and of compactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of `scan`.
    pub scans: usize,
    /// Batches that scans yielded.
    pub batches: usize,
    /// Cells that scans yielded.
    pub cells: usize,
    /// Calls of `write`.
    pub writes: usize,
    /// Mutations of those calls.
    pub mutations: usize,
    /// Calls of `write_conditional`.
    pub conditional_writes: usize,
    /// Conditional mutations of those calls.
    pub conditional_mutations: usize,
    /// Calls of `write_atomically`.
    pub together_writes: usize,
    /// Mutations of those calls.
    pub together_mutations: usize,
    /// Calls of `compact`.
    pub compactions: usize,
}

/// Tables that record calls and forward them to the tables that they wrap. A clone shares the
/// record.
///
/// ```
/// use std::sync::Arc;
///
/// use fluo_table::{MemoryTables, TableAdmin};
/// use fluo_tests::{AdminCall, RecordingTables};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let tables = RecordingTables::new(Arc::new(MemoryTables::new()));
/// let _ = tables.delete_table("pages").await;
/// assert_eq!(tables.calls(), [AdminCall::DeleteTable { table: "pages".to_owned() }]);
/// assert_eq!(tables.counts().scans, 0);
/// # }
/// ```
pub type RecordingTables = Intercepted<dyn TableAdmin, Record>;

/// The calls so far.
#[derive(Clone, Debug, Default)]
pub struct Record(Arc<Mutex<(Vec<AdminCall>, Counts)>>);

impl RecordingTables {
    /// Wraps tables with an empty record.
    pub fn new(inner: Arc<dyn TableAdmin>) -> Self {
        Self::with_hooks(inner, Record::default())
    }

    /// Returns the changes through the admin port so far, in order, failed ones included.
    pub fn calls(&self) -> Vec<AdminCall> {
        self.hooks().get().0.clone()
    }

    /// Returns the counts of the data port so far.
    pub fn counts(&self) -> Counts {
        self.hooks().get().1
    }
}

impl Record {
    fn get(&self) -> MutexGuard<'_, (Vec<AdminCall>, Counts)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Hooks for Record {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        let (calls, counts) = &mut *self.get();
        match call {
            Call::Admin(call) => calls.push(call.clone()),
            Call::Write(mutations) => {
                counts.writes += 1;
                counts.mutations += mutations.len();
            }
            Call::WriteConditional(mutations) => {
                counts.conditional_writes += 1;
                counts.conditional_mutations += mutations.len();
            }
            Call::WriteAtomically(mutations) => {
                counts.together_writes += 1;
                counts.together_mutations += mutations.len();
            }
            Call::Compact { .. } => counts.compactions += 1,
            Call::Scan(_) | Call::Coordination(_) => {}
        }
        Ok(None)
    }

    fn batches(&self, _: &Scan, batches: CellBatches) -> CellBatches {
        self.get().1.scans += 1;
        let record = self.clone();
        let count = move |cells: usize| {
            let counts = &mut record.get().1;
            counts.batches += 1;
            counts.cells += cells;
        };
        batches
            .inspect(move |batch| batch.iter().for_each(|cells| count(cells.len())))
            .boxed()
    }
}
