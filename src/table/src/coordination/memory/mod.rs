//! The reference implementation: applications in memory, as simple as the contract allows.

mod applications;
mod coordination;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

use crate::coordination::{
    Application, Epochs, FailedNotification, HeldLocks, PendingCommits, Sessions, TransactorId,
};
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, Result};
use crate::locked::locked;

/// Applications in memory. A clone shares them.
#[derive(Clone, Debug)]
pub struct MemoryApplications {
    applications: Arc<Mutex<BTreeMap<String, SharedApplication>>>,
    claims: HeldLocks,
    epoch: Arc<str>,
}

type SharedApplication = Arc<Mutex<MemoryApplication>>;

#[derive(Debug)]
struct MemoryApplication {
    stored: Application,
    sessions: Sessions,
    dead_letters: BTreeMap<RowColumn, FailedNotification>,
    /// True for a removed application: a handle on it must not reach the next one of the same name.
    is_removed: bool,
    horizon: Timestamp,
    next: Timestamp,
    pending: PendingCommits,
    last_transactor: u64,
    epochs: Option<Epochs>,
}

impl Default for MemoryApplications {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryApplications {
    /// Creates an instance without applications.
    pub fn new() -> Self {
        // Process ids do not suffice: they repeat, in containers at every start. Each `RandomState`
        // of a process has other keys.
        let opening = RandomState::new().hash_one(std::time::SystemTime::now());
        Self {
            applications: Arc::default(),
            claims: HeldLocks::default(),
            epoch: format!("memory-{opening:x}").into(),
        }
    }

    /// Ends the session of a transactor that still runs, as a network failure or a long pause does;
    /// returns whether it was alive.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub fn end_transactor(&self, name: &str, transactor: TransactorId) -> Result<bool> {
        Ok(locked(&*self.application(name)?).sessions.end_transactor(transactor))
    }

    /// Ends the sessions of all workers that still run; returns their number.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub fn end_workers(&self, name: &str) -> Result<usize> {
        Ok(locked(&*self.application(name)?).sessions.leave_workers())
    }

    fn application(&self, name: &str) -> Result<SharedApplication> {
        let found = locked(&self.applications).get(name).cloned();
        found.ok_or_else(|| Error::no_such_application(name))
    }
}
