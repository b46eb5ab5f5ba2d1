//! The port to one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, FailedNotification, HeldLock, TimestampBlock, Transactor,
    TransactorId, WorkerMembership,
};
use fluo_table::{Result, RowColumn, Timestamp};

use super::{Hooks, Intercepted};
use crate::CoordinationCall;

#[async_trait]
impl<P: Coordination + ?Sized + 'static, H: Hooks> Coordination for Intercepted<P, H> {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        let call = CoordinationCall::Timestamps(count);
        self.call(call, self.inner.timestamps(count)).await
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.call(CoordinationCall::Horizon, self.inner.horizon())
            .await
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        let call = CoordinationCall::AdvanceHorizon;
        self.call(call, self.inner.advance_horizon()).await
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let call = CoordinationCall::BeginTransactor;
        let inner = self.call(call, self.inner.begin_transactor()).await?;
        let inner = self.hooks.transactor(inner);
        Ok(Box::new(self.opened(Arc::<dyn Transactor>::from(inner))))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        let call = CoordinationCall::IsAlive(transactor);
        self.call(call, self.inner.is_alive(transactor)).await
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        let call = CoordinationCall::JoinWorkers;
        let inner = self.call(call, self.inner.join_workers()).await?;
        Ok(Box::new(
            self.opened(Arc::<dyn WorkerMembership>::from(inner)),
        ))
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        let call = CoordinationCall::SetAside(failed.cell.clone());
        self.call(call, self.inner.add_dead_letter(failed)).await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        let call = CoordinationCall::SetAsideList;
        self.call(call, self.inner.dead_letters()).await
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        let call = CoordinationCall::ForgetSetAside(cell.clone(), up_to);
        self.call(call, self.inner.remove_dead_letter(cell, up_to))
            .await
    }

    async fn application(&self) -> Result<Application> {
        let call = CoordinationCall::Application;
        self.call(call, self.inner.application()).await
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        let call = CoordinationCall::BeginEpoch;
        self.call(call, self.inner.begin_epoch(found)).await
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        let call = CoordinationCall::TakeDuty(duty.to_owned());
        self.call(call, self.inner.take_duty(duty)).await
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        let call = CoordinationCall::ExcludeOthers(own);
        self.call(call, self.inner.exclude_others(own)).await
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        let call = CoordinationCall::UpdateSettings;
        self.call(call, self.inner.update_settings(settings)).await
    }
}
