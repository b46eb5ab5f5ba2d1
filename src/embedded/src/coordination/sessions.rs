//! Transactors and workers. They are present as long as these values and the process exist.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{Share, Transactor, TransactorId, WorkerMembership};
use fluo_table::{Result, Timestamp};

use crate::application_state::EmbeddedApplication;
use crate::tables::Shared;

/// The presence of a transactor. It is created in the writer thread, in one step with its number,
/// so that a transactor is not present if its caller was cancelled. It does not hold the directory.
#[derive(Debug)]
pub(super) struct TransactorPresence {
    id: TransactorId,
    application: Arc<EmbeddedApplication>,
}

impl TransactorPresence {
    pub(super) fn begin(application: Arc<EmbeddedApplication>, id: TransactorId) -> Self {
        application.sessions().begin_transactor(id);
        Self { id, application }
    }
}

impl Drop for TransactorPresence {
    fn drop(&mut self) {
        self.application.sessions().end_transactor(self.id);
    }
}

/// A transactor that holds the directory.
#[derive(Debug)]
pub(super) struct EmbeddedTransactor {
    pub(super) presence: TransactorPresence,
    pub(super) _directory: Arc<Shared>,
}

#[async_trait]
impl Transactor for EmbeddedTransactor {
    fn id(&self) -> TransactorId {
        self.presence.id
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let application = &self.presence.application;
        let _still = application.horizon_moves.lock().await;
        application.sessions().publish(self.presence.id, oldest)
    }

    fn is_holding(&self) -> bool {
        let presence = &self.presence;
        presence.application.sessions().is_alive(presence.id)
    }
}

/// The presence of a worker, created like that of a transactor.
#[derive(Debug)]
pub(super) struct WorkerPresence {
    worker: u64,
    application: Arc<EmbeddedApplication>,
}

impl WorkerPresence {
    pub(super) fn join(application: Arc<EmbeddedApplication>) -> Self {
        let worker = application.sessions().join_worker();
        Self { worker, application }
    }
}

impl Drop for WorkerPresence {
    fn drop(&mut self) {
        self.application.sessions().leave_worker(self.worker);
    }
}

/// A worker that holds the directory.
#[derive(Debug)]
pub(super) struct EmbeddedWorker {
    pub(super) presence: WorkerPresence,
    pub(super) _directory: Arc<Shared>,
}

#[async_trait]
impl WorkerMembership for EmbeddedWorker {
    async fn share(&self) -> Result<Option<Share>> {
        let application = &self.presence.application;
        Ok(Some(application.sessions().share(self.presence.worker)?))
    }
}
