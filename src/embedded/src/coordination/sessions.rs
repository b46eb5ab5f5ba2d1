//! Transactors and workers. They are present as long as these values and the process exist.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{Share, Transactor, TransactorId, WorkerMembership};
use fluo_table::{Result, Timestamp};

use crate::application_state::EmbeddedApplication;
use crate::tables::Shared;

/// The presence of a transactor or a worker. It is created in the writer thread, in one step with
/// its number, so that it is not present if its caller was cancelled. It does not hold the
/// directory.
#[derive(Debug)]
pub(super) struct Presence<Id: MemberId> {
    id: Id,
    application: Arc<EmbeddedApplication>,
}

/// The id of a transactor, or the number of a worker.
pub(super) trait MemberId: Copy {
    /// Ends the presence of this member.
    fn leave(self, application: &EmbeddedApplication);
}

impl MemberId for TransactorId {
    fn leave(self, application: &EmbeddedApplication) {
        application.sessions().end_transactor(self);
    }
}

impl MemberId for u64 {
    fn leave(self, application: &EmbeddedApplication) {
        application.sessions().leave_worker(self);
    }
}

impl<Id: MemberId> Drop for Presence<Id> {
    fn drop(&mut self) {
        self.id.leave(&self.application);
    }
}

impl Presence<TransactorId> {
    pub(super) fn begin(application: Arc<EmbeddedApplication>, id: TransactorId) -> Self {
        application.sessions().begin_transactor(id);
        Self { id, application }
    }
}

impl Presence<u64> {
    pub(super) fn join(application: Arc<EmbeddedApplication>) -> Self {
        let id = application.sessions().join_worker();
        Self { id, application }
    }
}

/// A transactor or a worker that holds the directory.
#[derive(Debug)]
pub(super) struct Present<Id: MemberId> {
    pub(super) presence: Presence<Id>,
    pub(super) _directory: Arc<Shared>,
}

#[async_trait]
impl Transactor for Present<TransactorId> {
    fn id(&self) -> TransactorId {
        self.presence.id
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let application = &self.presence.application;
        let _still = application.horizon_moves.lock().await;
        application.sessions().publish(self.presence.id, oldest)
    }

    fn is_holding(&self) -> bool {
        self.presence.application.sessions().is_alive(self.presence.id)
    }
}

#[async_trait]
impl WorkerMembership for Present<u64> {
    async fn share(&self) -> Result<Option<Share>> {
        Ok(Some(self.presence.application.sessions().share(self.presence.id)?))
    }
}
