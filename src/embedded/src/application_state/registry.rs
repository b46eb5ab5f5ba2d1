//! The open applications.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fluo_table::Result;
use fluo_table::coordination::SetupLocks;

use super::application::EmbeddedApplication;
use super::locked::locked;
use crate::store::Store;

/// The applications that were opened since the directory was opened, by name: one value for all
/// handles of an application.
///
/// An application that is being removed, or was removed, stays here until its name is initialized
/// again, so that it cannot be opened from an older snapshot.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    applications: Mutex<BTreeMap<String, Arc<EmbeddedApplication>>>,
    /// The applications that are being created or removed. One process holds the directory, so all
    /// claims are here.
    pub(crate) claims: SetupLocks,
}

impl Registry {
    /// Returns an existing application.
    pub(crate) fn open(&self, store: &Store, name: &str) -> Result<Arc<EmbeddedApplication>> {
        // The snapshot is taken under the lock, so the inserted state is the last stored one.
        let mut applications = locked(&self.applications);
        if let Some(application) = applications.get(name) {
            application.check_there()?;
            return Ok(application.clone());
        }
        let application = store.read(|snapshot| EmbeddedApplication::open(snapshot, name))?;
        let application = Arc::new(application);
        applications.insert(name.to_owned(), application.clone());
        Ok(application)
    }

    /// Forgets an application, because the next one with this name is a different one.
    pub(crate) fn forget(&self, name: &str) {
        locked(&self.applications).remove(name);
    }
}
