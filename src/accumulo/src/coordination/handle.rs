//! The port to one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, Epochs, FailedNotification, HeldLock, Presence, Timeline,
    TimestampBlock, Transactor, TransactorId, WorkerMembership, check_settings, zookeeper_format,
};
use fluo_table::{Clock, Result, RowColumn, Timestamp};
use futures::join;

use super::opened::Opened;
use super::worker_settings::WorkerSettings;
use super::{dead_letters, in_own_task, locks, presence, transactor, worker};
use crate::oracle::WallClock;
use crate::zookeeper::{Change, Outcome, Session, TRIES};

#[derive(Debug)]
pub(super) struct ZooKeeperCoordination {
    pub(super) application: Arc<Opened>,
}

impl ZooKeeperCoordination {
    async fn session(&self) -> Result<Arc<Session>> {
        self.application.keeper.session().await
    }
}

#[async_trait]
impl Coordination for ZooKeeperCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.application.timestamps(count).await
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.application.look().await
    }

    async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>> {
        let session = self.session().await?;
        let node = session.node(&self.application.paths.at(zookeeper_format::TIMELINE)).await?;
        self.application.check_exists(&session).await?;
        let timeline = node.map(|node| Timeline::decode(&node.data)).transpose()?;
        Ok(timeline.unwrap_or_default().ages(timestamps, WallClock.now_ms()))
    }

    /// Returns the horizon. Only the leading oracle moves it, each period.
    async fn advance_horizon(&self) -> Result<Timestamp> {
        self.horizon().await
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        in_own_task(transactor::begin(self.application.clone())).await
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        let (application, session) = (&self.application, self.session().await?);
        let path = application.paths.transactor(transactor);
        let (found, exists) = join!(session.stat(&path), application.check_exists(&session));
        exists?;
        if found?.is_some() {
            return Ok(true);
        }
        // The server of this session may not have seen a new transactor yet.
        let found = session.current_stat(&path).await?;
        application.check_exists(&session).await?;
        Ok(found.is_some())
    }

    async fn last_transactor(&self) -> Result<TransactorId> {
        transactor::last(&self.application, &*self.session().await?).await
    }

    async fn presence(&self) -> Result<Presence> {
        presence::find(&self.application, &*self.session().await?).await
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        // If the caller is cancelled during this read, no worker is created.
        let session = self.session().await?;
        let stored = self.application.stored(&session).await?;
        in_own_task(worker::join(self.application.clone(), session, stored)).await
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        in_own_task(dead_letters::add(self.application.clone(), failed)).await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        let session = self.session().await?;
        let found = dead_letters::list(&self.application, &session).await;
        // After the reads, because the data may belong to a later application of the same name.
        self.application.check_exists(&session).await?;
        found
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        let removal = dead_letters::remove(self.application.clone(), cell.clone(), up_to);
        in_own_task(removal).await
    }

    async fn application(&self) -> Result<Application> {
        self.application.stored(&*self.session().await?).await
    }

    async fn check_epoch(&self, found: Option<&str>) -> Result<()> {
        let (application, session) = (&self.application, self.session().await?);
        let node = session.current_node(&application.paths.at(zookeeper_format::EPOCHS)).await?;
        application.check_exists(&session).await?;
        let recorded = node.map(|node| Epochs::decode(&node.data)).transpose()?;
        Epochs::check(&application.name, recorded.as_ref(), found)
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        let (application, session) = (&self.application, self.session().await?);
        let path = application.paths.at(zookeeper_format::EPOCHS);
        for _ in 0..TRIES {
            application.check_exists(&session).await?;
            let node = session.current_node(&path).await?;
            let recorded = node.as_ref().map(|node| Epochs::decode(&node.data)).transpose()?;
            let (name, own) = (&application.name, &application.epoch);
            let begun = Epochs::begin(name, recorded.as_ref(), own, found)?;
            if recorded.as_ref() == Some(&begun) || found == Some(&begun.last) {
                return Ok(begun.last);
            }
            let version = node.map(|node| node.stat.version);
            let change = Change::write(path.clone(), begun.encode(), version);
            if let Outcome::Done(_) = application.change(&session, [change]).await? {
                return Ok(begun.last);
            }
        }
        Err(application.too_busy())
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        let (application, duty) = (self.application.clone(), duty.to_owned());
        in_own_task(locks::take_duty(application, duty)).await
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        in_own_task(locks::exclude_others(self.application.clone(), own)).await
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        check_settings(&settings)?;
        WorkerSettings::from_settings(&settings)?;
        let (application, session) = (&self.application, self.session().await?);
        let path = application.paths.mark();
        let data = zookeeper_format::settings(&settings);
        let change = Change::Set { path, data, version: None };
        for _ in 0..TRIES {
            application.check_exists(&session).await?;
            if let Outcome::Done(_) = application.change(&session, [change.clone()]).await? {
                return Ok(());
            }
        }
        Err(application.too_busy())
    }
}
