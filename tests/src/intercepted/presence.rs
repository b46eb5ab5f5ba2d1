//! Transactors and workers.

use async_trait::async_trait;
use fluo_table::coordination::{Share, Transactor, TransactorId, WorkerMembership};
use fluo_table::{Result, Timestamp};

use super::{CoordinationCall, Hooks, Intercepted};

#[async_trait]
impl<P: Transactor + ?Sized + 'static, H: Hooks> Transactor for Intercepted<P, H> {
    fn id(&self) -> TransactorId {
        self.inner.id()
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let call = CoordinationCall::Publish(self.id(), oldest);
        self.call(call, self.inner.publish_oldest_active(oldest)).await
    }

    fn is_holding(&self) -> bool {
        self.inner.is_holding()
    }
}

#[async_trait]
impl<P: WorkerMembership + ?Sized + 'static, H: Hooks> WorkerMembership for Intercepted<P, H> {
    async fn share(&self) -> Result<Option<Share>> {
        self.call("share", self.inner.share()).await
    }

    async fn changed(&self) {
        self.inner.changed().await;
    }
}
