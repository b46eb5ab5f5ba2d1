//! Tables that record calls.

mod admin;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_table::TableAdmin;

use crate::AdminCall;

/// Counts of the calls through the data port, over all handles.
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
#[derive(Clone, Debug)]
pub struct RecordingTables {
    inner: Arc<dyn TableAdmin>,
    record: SharedRecord,
}

#[derive(Clone, Debug, Default)]
struct SharedRecord(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    calls: Vec<AdminCall>,
    counts: Counts,
}

impl RecordingTables {
    /// Wraps tables with an empty record.
    pub fn new(inner: Arc<dyn TableAdmin>) -> Self {
        Self {
            inner,
            record: SharedRecord::default(),
        }
    }

    /// Returns the changes through the admin port so far, in order, failed ones included.
    pub fn calls(&self) -> Vec<AdminCall> {
        self.record.get().calls.clone()
    }

    /// Returns the counts of the data port so far.
    pub fn counts(&self) -> Counts {
        self.record.get().counts
    }
}

impl SharedRecord {
    fn get(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn called(&self, call: AdminCall) {
        self.get().calls.push(call);
    }

    fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.get().counts);
    }
}
