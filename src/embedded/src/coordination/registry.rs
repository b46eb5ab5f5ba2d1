//! The applications that are open.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fluo_core::Result;
use fluo_core::coordination::Claims;

use super::application::{EmbeddedApplication, locked};
use crate::store::Store;

/// The applications that were opened since the directory was, by name: one value for all handles on an application.
///
/// One that is being removed, or was, stays here until its name is initialised again, so that nobody opens it on the
/// snapshot from before.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    applications: Mutex<BTreeMap<String, Arc<EmbeddedApplication>>>,
    /// Those that are being made or removed. The directory is held by one process, so they are all here.
    pub(super) claims: Claims,
}

impl Registry {
    /// An application that exists.
    pub(super) fn open(&self, store: &Store, name: &str) -> Result<Arc<EmbeddedApplication>> {
        // The snapshot is taken under the lock: what is put in here is what was stored last.
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

    /// The next one of this name is another one.
    pub(super) fn forget(&self, name: &str) {
        locked(&self.applications).remove(name);
    }
}
