//! The port to all applications: [`MemoryApplications`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use uuid::Uuid;

use super::coordination::{MemoryApplication, MemoryCoordination, SharedApplication};
use crate::clock::{Clock, SystemClock};
use crate::coordination::{
    Application, Applications, Coordination, HeldLock, HeldLocks, TransactorId,
    check_application_name,
};
use crate::error::{Error, Result};
use crate::locked::locked;

/// Applications in memory. A clone shares them.
#[derive(Clone, Debug)]
pub struct MemoryApplications {
    applications: Arc<Mutex<BTreeMap<String, SharedApplication>>>,
    claims: HeldLocks,
    epoch: Arc<str>,
    clock: Arc<dyn Clock>,
}

impl Default for MemoryApplications {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryApplications {
    /// Creates an instance without applications.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// Creates an instance without applications, and with a clock for the ages of timestamps.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        // Process ids do not suffice: they repeat, in containers at every start.
        let epoch = format!("memory-{}", Uuid::new_v4()).into();
        Self { applications: Arc::default(), claims: HeldLocks::default(), epoch, clock }
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

#[async_trait]
impl Applications for MemoryApplications {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        check_application_name(name)?;
        application.check()?;
        let mut applications = locked(&self.applications);
        if applications.contains_key(name) {
            return Err(Error::application_exists(name));
        }
        let table = &application.table;
        let owner = applications.iter().find(|(_, other)| locked(other).stored.table == *table);
        if let Some((other, _)) = owner {
            return Err(Error::table_in_use(name, table, other));
        }
        let application = MemoryApplication::new(application, self.clock.clone());
        applications.insert(name.to_owned(), Arc::new(Mutex::new(application)));
        Ok(())
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        Ok(Arc::new(MemoryCoordination {
            name: name.into(),
            application: self.application(name)?,
            epoch: self.epoch.clone(),
        }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        Ok(locked(&self.applications).keys().cloned().collect())
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        Ok(locked(&*self.application(name)?).sessions.is_running())
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        self.claims.lock_setup(name, table)
    }

    async fn remove(&self, name: &str) -> Result<()> {
        let mut applications = locked(&self.applications);
        let shared = applications.get(name).cloned();
        let shared = shared.ok_or_else(|| Error::no_such_application(name))?;
        let mut application = locked(&shared);
        if application.sessions.is_running() {
            return Err(Error::still_running(name));
        }
        application.is_removed = true;
        applications.remove(name);
        Ok(())
    }
}
