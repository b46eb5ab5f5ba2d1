//! The [`Coordination`] of one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;

use super::application::MemoryApplication;
use super::presence::{MemoryTransactor, MemoryWorker};
use super::{SharedApplication, locked};
use crate::coordination::{
    Application, Coordination, FailedNotification, HeldLock, TimestampBlock, Transactor,
    TransactorId, WorkerMembership, check_settings,
};
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, Result};

#[derive(Debug)]
pub(super) struct MemoryCoordination {
    pub(super) name: Arc<str>,
    pub(super) application: SharedApplication,
    pub(super) epoch: Arc<str>,
}

impl MemoryCoordination {
    fn with<T>(&self, work: impl FnOnce(&mut MemoryApplication) -> T) -> Result<T> {
        let mut application = locked(&self.application);
        if application.is_removed {
            return Err(Error::no_such_application(&self.name));
        }
        Ok(work(&mut application))
    }
}

#[async_trait]
impl Coordination for MemoryCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.with(|application| application.timestamps(count))?
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.with(|application| application.horizon)
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        self.with(MemoryApplication::advance_horizon)
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let id = self.with(|application| {
            application.sessions.check_shared(&self.name)?;
            Ok::<_, Error>(application.begin_transactor())
        })??;
        let application = self.application.clone();
        Ok(Box::new(MemoryTransactor { id, application }))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.with(|application| application.sessions.is_alive(transactor))
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        let worker = self.with(|application| {
            application.sessions.check_shared(&self.name)?;
            Ok::<_, Error>(application.sessions.join_worker())
        })??;
        let application = self.application.clone();
        Ok(Box::new(MemoryWorker { worker, application }))
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        self.with(|application| application.set_aside(failed))?
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.with(|application| application.set_aside.values().cloned().collect())
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        self.with(|application| application.remove_dead_letter(cell, up_to))
    }

    async fn application(&self) -> Result<Application> {
        self.with(|application| application.stored.clone())
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        self.with(|application| application.begin_epoch(&self.name, &self.epoch, found))?
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        self.with(|application| application.sessions.take_duty(duty))?
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        self.with(|application| application.sessions.exclude_others(&self.name, own))?
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        check_settings(&settings)?;
        self.with(|application| application.stored.settings = settings)
    }
}
