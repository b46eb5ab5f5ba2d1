//! The port to one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, FailedNotification, HeldLock, PendingCommit, Presence,
    TimestampBlock, Transactor, TransactorId, WorkerMembership,
};
use fluo_table::{Result, RowColumn, Timestamp};

use super::{CoordinationCall, Hooks, Intercepted};

#[async_trait]
impl<P: Coordination + ?Sized + 'static, H: Hooks> Coordination for Intercepted<P, H> {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        let call = CoordinationCall::Timestamps(count);
        self.call(call, self.inner.timestamps(count)).await
    }

    async fn begin_commit(&self, start: Timestamp) -> Result<Option<PendingCommit>> {
        self.call("begin_commit", self.inner.begin_commit(start)).await
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.call("horizon", self.inner.horizon()).await
    }

    async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>> {
        self.call("ages", self.inner.ages(timestamps)).await
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        self.call("advance_horizon", self.inner.advance_horizon()).await
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let inner = self.call("begin_transactor", self.inner.begin_transactor()).await?;
        let inner = self.hooks.transactor(inner);
        Ok(Box::new(self.opened(Arc::<dyn Transactor>::from(inner))))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.call("is_alive", self.inner.is_alive(transactor)).await
    }

    async fn last_transactor(&self) -> Result<TransactorId> {
        self.call("last_transactor", self.inner.last_transactor()).await
    }

    async fn presence(&self) -> Result<Presence> {
        self.call("presence", self.inner.presence()).await
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        let inner = self.call("join_workers", self.inner.join_workers()).await?;
        Ok(Box::new(self.opened(Arc::<dyn WorkerMembership>::from(inner))))
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        self.call("add_dead_letter", self.inner.add_dead_letter(failed)).await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.call("dead_letters", self.inner.dead_letters()).await
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        self.call("remove_dead_letter", self.inner.remove_dead_letter(cell, up_to)).await
    }

    async fn application(&self) -> Result<Application> {
        self.call("application", self.inner.application()).await
    }

    async fn check_epoch(&self, found: Option<&str>) -> Result<()> {
        self.call("check_epoch", self.inner.check_epoch(found)).await
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        self.call("begin_epoch", self.inner.begin_epoch(found)).await
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        self.call("take_duty", self.inner.take_duty(duty)).await
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        self.call("exclude_others", self.inner.exclude_others(own)).await
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        self.call("update_settings", self.inner.update_settings(settings)).await
    }
}
