//! The port to one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError};

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, FailedNotification, TimestampBlock, Transactor, TransactorId,
    WorkerMembership,
};
use fluo_table::{Result, RowColumn, Timestamp};

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

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        self.inner.add_dead_letter(failed).await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.inner.dead_letters().await
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        self.inner.remove_dead_letter(cell, up_to).await
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
