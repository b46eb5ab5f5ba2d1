//! The reference implementation: applications in memory, as simple as the contract allows.

mod application;
mod applications;
mod coordination;
mod presence;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use application::MemoryApplication;

use crate::coordination::{SetupLocks, TransactorId};
use crate::error::{Error, Result};

/// Applications in memory. A clone shares them.
///
/// # Examples
///
/// ```
/// use fluo_table::coordination::{Application, Applications, MemoryApplications};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let applications = MemoryApplications::new();
/// applications.initialize("web", Application::new("8d2fa41c", "web")).await?;
/// assert_eq!(applications.list().await?, ["web"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryApplications {
    applications: Arc<Mutex<BTreeMap<String, SharedApplication>>>,
    claims: SetupLocks,
    epoch: Arc<str>,
}

type SharedApplication = Arc<Mutex<MemoryApplication>>;

impl Default for MemoryApplications {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns a random number. Process ids do not suffice: they repeat, in containers at every start.
fn random() -> u64 {
    RandomState::new().hash_one(SystemTime::now())
}

impl MemoryApplications {
    /// Creates an instance without applications.
    pub fn new() -> Self {
        static OPENINGS: AtomicU64 = AtomicU64::new(0);
        let opening = OPENINGS.fetch_add(1, Ordering::Relaxed);
        Self {
            applications: Arc::default(),
            claims: SetupLocks::default(),
            epoch: format!("memory-{:x}-{opening}", random()).into(),
        }
    }

    /// Ends the session of a transactor that still runs, as a network failure or a long pause does;
    /// returns whether it was alive.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub fn end_transactor(&self, name: &str, transactor: TransactorId) -> Result<bool> {
        let application = self.application(name)?;
        let ended = locked(&application).sessions.end_transactor(transactor);
        Ok(ended)
    }

    /// Ends the sessions of all workers that still run; returns their number.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub fn end_workers(&self, name: &str) -> Result<usize> {
        let application = self.application(name)?;
        let ended = locked(&application).sessions.leave_workers();
        Ok(ended)
    }

    fn application(&self, name: &str) -> Result<SharedApplication> {
        locked(&self.applications)
            .get(name)
            .cloned()
            .ok_or_else(|| Error::no_such_application(name))
    }
}

/// Locks a mutex whose data is consistent even if a holder panicked: every change below is checked
/// before it is applied.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
