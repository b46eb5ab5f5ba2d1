//! The port to all applications.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use fluo_core::Result;
use fluo_core::coordination::{
    Application, Applications, Coordination, SetupClaim, check_application_name,
    initialized_already, still_running, stored,
};
use redb::WriteTransaction;

use super::application::EmbeddedApplication;
use super::of_application::EmbeddedCoordination;
use super::{EmbeddedApplications, nodes, set_aside};
use crate::error::Failure;
use crate::schema::COORDINATION;
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
        let new = stored::nodes(&application)?;
        let (name, registry) = (name.to_owned(), self.shared.applications.clone());
        let job = move |transaction: &WriteTransaction| {
            if nodes::exist(&transaction.open_table(COORDINATION)?, &name)? {
                return Err(initialized_already(&name).into());
            }
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

    async fn claim(&self, name: &str, table: &str) -> Result<Box<dyn SetupClaim>> {
        self.shared.applications.claims.claim(name, table)
    }

    async fn remove(&self, name: &str) -> Result<()> {
        let application = self.application(name)?;
        let (removed, is_marked) = (application.clone(), Arc::new(AtomicBool::new(false)));
        let mark = is_marked.clone();
        let job = move |transaction: &WriteTransaction| {
            removed.check_there()?;
            check_stopped(&removed)?;
            nodes::remove(transaction, &removed.name)?;
            set_aside::remove_all(transaction, &removed.name)?;
            // Before the commit: nobody may use it while it goes.
            removed.set_removed(true);
            mark.store(true, Ordering::Release);
            Ok(Verdict::Commit(()))
        };
        // In the writer's thread: whoever asked may have stopped waiting.
        let at_its_end = move |result: &Result<()>| {
            if result.is_err() && is_marked.load(Ordering::Acquire) {
                // It is still there, or nobody can tell.
                application.set_removed(false);
            }
        };
        self.shared.writer.run_to_the_end(job, at_its_end).await
    }
}

/// Refuses if anybody is present. Whoever begins or joins does it in the writer's thread, as this is.
fn check_stopped(application: &EmbeddedApplication) -> Result<(), Failure> {
    match application.sessions().is_running() {
        true => Err(still_running(&application.name).into()),
        false => Ok(()),
    }
}
