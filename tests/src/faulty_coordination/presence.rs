//! Transactors and workers.

use async_trait::async_trait;
use fluo_table::coordination::{Transactor, TransactorId, WorkerMembership};
use fluo_table::layout::Partition;
use fluo_table::{Result, Timestamp};

use super::plan::SharedPlan;
use crate::CoordinationCall;

#[derive(Debug)]
pub(super) struct FaultyTransactor {
    pub(super) inner: Box<dyn Transactor>,
    pub(super) plan: SharedPlan,
}

#[async_trait]
impl Transactor for FaultyTransactor {
    fn id(&self) -> TransactorId {
        self.inner.id()
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let call = CoordinationCall::Publish(self.id(), oldest);
        let work = self.inner.publish_oldest_active(oldest);
        self.plan.call(call, work).await
    }
}

#[derive(Debug)]
pub(super) struct FaultyWorker {
    pub(super) inner: Box<dyn WorkerMembership>,
    pub(super) plan: SharedPlan,
}

#[async_trait]
impl WorkerMembership for FaultyWorker {
    async fn share(&self) -> Result<Partition> {
        self.plan
            .call(CoordinationCall::Partition, self.inner.share())
            .await
    }
}
