//! The port to all applications.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Applications, Coordination, HeldLock, check_application_name, zookeeper_format,
};
use fluo_table::{Error, Result};

use super::EmbeddedApplications;
use super::handle::EmbeddedCoordination;
use crate::application_state::{EmbeddedApplication, dead_letters, nodes};
use crate::engine::Transaction;
use crate::error::Failure;
use crate::writer::Verdict;

impl EmbeddedApplications {
    fn application(&self, name: &str) -> Result<Arc<EmbeddedApplication>> {
        self.shared.applications.open(&self.shared.store, name)
    }
}

#[async_trait]
impl Applications for EmbeddedApplications {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        check_application_name(name)?;
        let new = zookeeper_format::nodes(&application)?;
        let (name, table) = (name.to_owned(), application.table);
        let registry = self.shared.applications.clone();
        let job = move |transaction: &mut Transaction<'_>| {
            check_unused(transaction, &name, &table)?;
            for (node, bytes) in &new {
                nodes::put(transaction, &name, node, bytes)?;
            }
            registry.forget(&name);
            Ok(Verdict::Commit(()))
        };
        self.shared.writer.run(job).await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        Ok(Arc::new(EmbeddedCoordination {
            application: self.application(name)?,
            shared: self.shared.clone(),
        }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        self.shared.store.read(nodes::names)
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        Ok(self.application(name)?.sessions().is_running())
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        self.shared.applications.claims.lock_setup(name, table)
    }

    async fn remove(&self, name: &str) -> Result<()> {
        let application = self.application(name)?;
        let (removed, is_marked) = (application.clone(), Arc::new(AtomicBool::new(false)));
        let mark = is_marked.clone();
        let job = move |transaction: &mut Transaction<'_>| {
            removed.check_there()?;
            // Transactors and workers begin in the writer thread, too.
            if removed.sessions().is_running() {
                return Err(Error::still_running(&removed.name).into());
            }
            nodes::remove(transaction, &removed.name)?;
            dead_letters::remove_all(transaction, &removed.name)?;
            // Before the commit: the application must not be used while it is being removed.
            removed.set_removed(true);
            mark.store(true, Ordering::Release);
            Ok(Verdict::Commit(()))
        };
        // In the writer thread, because the caller may have been cancelled.
        let at_its_end = move |result: &Result<()>| {
            if result.is_err() && is_marked.load(Ordering::Acquire) {
                // The application still exists, or its state is unknown.
                application.set_removed(false);
            }
        };
        self.shared.writer.run_to_the_end(job, at_its_end).await
    }
}

/// Returns an error for a name that is in use, and for a table that belongs to another application.
/// Claims do not prevent the latter: an earlier claimant may have ended, and its claim with it,
/// while its job was still in the queue.
fn check_unused(transaction: &Transaction<'_>, name: &str, table: &str) -> Result<(), Failure> {
    if nodes::exist(transaction, name)? {
        return Err(Error::application_exists(name).into());
    }
    for other in nodes::names(transaction)? {
        let of_other = nodes::get(transaction, &other, zookeeper_format::TABLE)?;
        if of_other.as_deref() == Some(table.as_bytes()) {
            return Err(Error::table_in_use(name, table, &other).into());
        }
    }
    Ok(())
}
