//! Transactors and workers.

use async_trait::async_trait;

use super::{SharedApplication, locked};
use crate::coordination::{Share, Transactor, TransactorId, WorkerMembership};
use crate::data::Timestamp;
use crate::error::Result;

#[derive(Debug)]
pub(super) struct MemoryTransactor {
    pub(super) id: TransactorId,
    pub(super) application: SharedApplication,
}

#[async_trait]
impl Transactor for MemoryTransactor {
    fn id(&self) -> TransactorId {
        self.id
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        locked(&self.application).sessions.publish(self.id, oldest)
    }

    fn is_holding(&self) -> bool {
        locked(&self.application).sessions.is_alive(self.id)
    }
}

impl Drop for MemoryTransactor {
    fn drop(&mut self) {
        locked(&self.application).sessions.end_transactor(self.id);
    }
}

#[derive(Debug)]
pub(super) struct MemoryWorker {
    pub(super) worker: u64,
    pub(super) application: SharedApplication,
}

#[async_trait]
impl WorkerMembership for MemoryWorker {
    async fn share(&self) -> Result<Option<Share>> {
        let share = locked(&self.application).sessions.share(self.worker)?;
        Ok(Some(share))
    }
}

impl Drop for MemoryWorker {
    fn drop(&mut self) {
        locked(&self.application).sessions.leave_worker(self.worker);
    }
}
