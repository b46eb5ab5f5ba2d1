//! The port to one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError};

use async_trait::async_trait;
use fluo_core::coordination::{
    Application, Coordination, FailedNotification, TimestampBlock, Transactor, TransactorId,
    WorkerMembership,
};
use fluo_core::{Result, RowColumn, Timestamp};

use super::Sessions;
use super::session::{EndingTransactor, Session};

#[derive(Debug)]
pub(super) struct EndingCoordination {
    pub(super) inner: Arc<dyn Coordination>,
    pub(super) name: String,
    pub(super) sessions: Sessions,
}

#[async_trait]
impl Coordination for EndingCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.inner.timestamps(count).await
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.inner.horizon().await
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        self.inner.advance_horizon().await
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let inner = self.inner.begin_transactor().await?;
        let id = inner.id();
        let session = Arc::new(Session::new(inner));
        let place = (self.name.clone(), id);
        let sessions = self.sessions.lock();
        sessions
            .unwrap_or_else(PoisonError::into_inner)
            .insert(place, Arc::downgrade(&session));
        Ok(Box::new(EndingTransactor { id, session }))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.inner.is_alive(transactor).await
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        self.inner.join_workers().await
    }

    async fn set_aside(&self, failed: FailedNotification) -> Result<()> {
        self.inner.set_aside(failed).await
    }

    async fn set_aside_list(&self) -> Result<Vec<FailedNotification>> {
        self.inner.set_aside_list().await
    }

    async fn forget_set_aside(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        self.inner.forget_set_aside(cell, up_to).await
    }

    async fn application(&self) -> Result<Application> {
        self.inner.application().await
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        self.inner.begin_epoch(found).await
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        self.inner.update_settings(settings).await
    }
}
