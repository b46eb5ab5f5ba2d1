//! The port to all applications.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::coordination::MemoryCoordination;
use super::{MemoryApplication, MemoryApplications};
use crate::coordination::{
    Application, Applications, Coordination, HeldLock, PendingCommits, Sessions,
    check_application_name,
};
use crate::data::Timestamp;
use crate::error::{Error, Result};
use crate::locked::locked;

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
        let application = MemoryApplication {
            stored: application,
            sessions: Sessions::default(),
            dead_letters: BTreeMap::new(),
            is_removed: false,
            horizon: Timestamp::ZERO,
            next: Timestamp::FIRST,
            pending: PendingCommits::default(),
            last_transactor: 0,
            epochs: None,
        };
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
