//! Transactors and workers. They are present as long as these values and the process exist.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{Sessions, Share, Transactor, TransactorId, WorkerMembership};
use fluo_table::{Result, Timestamp};

use crate::application_state::EmbeddedApplication;
use crate::tables::Shared;

/// The presence of a transactor or a worker. It is created in the writer thread, in one step with
/// its number, so that it is not present if its caller was cancelled. It does not hold the
/// directory.
#[derive(Debug)]
pub(super) struct Presence {
    /// The id of the transactor, or the number of the worker.
    id: u64,
    leave: fn(&mut Sessions, u64) -> bool,
    application: Arc<EmbeddedApplication>,
}

impl Presence {
    pub(super) fn begin(application: Arc<EmbeddedApplication>, id: TransactorId) -> Self {
        application.sessions().begin_transactor(id);
        let leave = |sessions: &mut Sessions, id| sessions.end_transactor(TransactorId(id));
        Self { id: id.0, leave, application }
    }

    pub(super) fn join(application: Arc<EmbeddedApplication>) -> Self {
        let id = application.sessions().join_worker();
        Self { id, leave: Sessions::leave_worker, application }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        (self.leave)(&mut self.application.sessions(), self.id);
    }
}

/// A transactor or a worker that holds the directory.
#[derive(Debug)]
pub(super) struct Present {
    pub(super) presence: Presence,
    pub(super) _directory: Arc<Shared>,
}

#[async_trait]
impl Transactor for Present {
    fn id(&self) -> TransactorId {
        TransactorId(self.presence.id)
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let application = &self.presence.application;
        let _still = application.horizon_moves.lock().await;
        application.sessions().publish(self.id(), oldest)
    }

    fn is_holding(&self) -> bool {
        self.presence.application.sessions().is_alive(self.id())
    }
}

#[async_trait]
impl WorkerMembership for Present {
    async fn share(&self) -> Result<Option<Share>> {
        Ok(Some(self.presence.application.sessions().share(self.presence.id)?))
    }
}
