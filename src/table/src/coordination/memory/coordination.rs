//! The [`Coordination`] of one application.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::task::Context;
use std::time::Duration;

use async_trait::async_trait;

use crate::clock::Clock;
use crate::coordination::{
    Application, Coordination, Epochs, FailedNotification, HeldLock, PendingCommit, PendingCommits,
    Presence, Sessions, Share, Timeline, TimestampBlock, Transactor, TransactorId,
    WorkerMembership, check_settings,
};
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, Result};
use crate::locked::locked;

pub(super) type SharedApplication = Arc<Mutex<MemoryApplication>>;

#[derive(Debug)]
pub(super) struct MemoryApplication {
    pub(super) stored: Application,
    pub(super) sessions: Sessions,
    dead_letters: BTreeMap<RowColumn, FailedNotification>,
    /// True for a removed application: a handle on it must not reach the next one of the same name.
    pub(super) is_removed: bool,
    horizon: Timestamp,
    next: Timestamp,
    clock: Arc<dyn Clock>,
    timeline: Timeline,
    pending: PendingCommits,
    last_transactor: u64,
    epochs: Option<Epochs>,
}

#[derive(Debug)]
pub(super) struct MemoryCoordination {
    pub(super) name: Arc<str>,
    pub(super) application: SharedApplication,
    pub(super) epoch: Arc<str>,
}

impl MemoryCoordination {
    fn with<T>(&self, work: impl FnOnce(&mut MemoryApplication) -> Result<T>) -> Result<T> {
        let mut application = locked(&self.application);
        if application.is_removed {
            return Err(Error::no_such_application(&self.name));
        }
        work(&mut application)
    }
}

impl MemoryApplication {
    pub(super) fn new(stored: Application, clock: Arc<dyn Clock>) -> Self {
        Self {
            stored,
            sessions: Sessions::default(),
            dead_letters: BTreeMap::new(),
            is_removed: false,
            horizon: Timestamp::ZERO,
            next: Timestamp::FIRST,
            clock,
            timeline: Timeline::default(),
            pending: PendingCommits::default(),
            last_transactor: 0,
            epochs: None,
        }
    }

    fn take(&mut self, count: NonZeroU32) -> Result<TimestampBlock> {
        let first = self.next;
        self.next = TimestampBlock::end_of(first, count.get())?;
        self.timeline.record(self.next, self.clock.now_ms());
        Ok(TimestampBlock { first, count, horizon: self.horizon })
    }
}

#[async_trait]
impl Coordination for MemoryCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        let block = self.with(|application| application.take(count))?;
        let ended = |context: &mut Context<'_>| {
            locked(&self.application).pending.poll_ended_below(block.first, context)
        };
        poll_fn(ended).await;
        Ok(block)
    }

    async fn begin_commit(&self, start: Timestamp) -> Result<Option<PendingCommit>> {
        let commit = self.with(|application| {
            let commit = application.take(NonZeroU32::MIN)?;
            application.pending.begin(commit.first, start);
            Ok(commit)
        })?;
        let application = self.application.clone();
        let end = move || locked(&application).pending.end(commit.first);
        Ok(Some(PendingCommit::new(commit.first, commit.horizon, end)))
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.with(|application| Ok(application.horizon))
    }

    async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>> {
        self.with(|application| {
            Ok(application.timeline.ages(timestamps, application.clock.now_ms()))
        })
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        self.with(|application| {
            let MemoryApplication { sessions, horizon, next, pending, .. } = application;
            *horizon = sessions.horizon_after(*horizon, pending.max_horizon(*next));
            Ok(*horizon)
        })
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let id = self.with(|application| {
            application.sessions.check_shared(&self.name)?;
            application.last_transactor += 1;
            let id = TransactorId(application.last_transactor);
            application.sessions.begin_transactor(id);
            Ok(id)
        })?;
        Ok(Box::new(MemoryTransactor { id, application: self.application.clone() }))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.with(|application| Ok(application.sessions.is_alive(transactor)))
    }

    async fn last_transactor(&self) -> Result<TransactorId> {
        self.with(|application| Ok(TransactorId(application.last_transactor)))
    }

    async fn presence(&self) -> Result<Presence> {
        self.with(|application| Ok(application.sessions.presence()))
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        let worker = self.with(|application| {
            application.sessions.check_shared(&self.name)?;
            Ok(application.sessions.join_worker())
        })?;
        Ok(Box::new(MemoryWorker { worker, application: self.application.clone() }))
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        self.with(|MemoryApplication { dead_letters, .. }| {
            let is_full = dead_letters.len() >= FailedNotification::MAX_DEAD_LETTERS;
            if is_full && !dead_letters.contains_key(&failed.cell) {
                return Err(Error::too_many_dead_letters());
            }
            dead_letters.insert(failed.cell.clone(), failed.bounded());
            Ok(())
        })
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.with(|application| Ok(application.dead_letters.values().cloned().collect()))
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        self.with(|MemoryApplication { dead_letters, .. }| {
            let is_meant = dead_letters.get(cell).is_some_and(|found| found.timestamp <= up_to);
            Ok(is_meant && dead_letters.remove(cell).is_some())
        })
    }

    async fn application(&self) -> Result<Application> {
        self.with(|application| Ok(application.stored.clone()))
    }

    async fn check_epoch(&self, found: Option<&str>) -> Result<()> {
        self.with(|application| Epochs::check(&self.name, application.epochs.as_ref(), found))
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        self.with(|MemoryApplication { epochs, .. }| {
            let begun = Epochs::begin(&self.name, epochs.as_ref(), &self.epoch, found)?;
            Ok(epochs.insert(begun).last.clone())
        })
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        self.with(|application| application.sessions.take_duty(duty))
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        self.with(|application| application.sessions.exclude_others(&self.name, own))
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        check_settings(&settings)?;
        self.with(|application| {
            application.stored.settings = settings;
            Ok(())
        })
    }
}

#[derive(Debug)]
struct MemoryTransactor {
    id: TransactorId,
    application: SharedApplication,
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
struct MemoryWorker {
    worker: u64,
    application: SharedApplication,
}

#[async_trait]
impl WorkerMembership for MemoryWorker {
    async fn share(&self) -> Result<Option<Share>> {
        locked(&self.application).sessions.share(self.worker).map(Some)
    }
}

impl Drop for MemoryWorker {
    fn drop(&mut self) {
        locked(&self.application).sessions.leave_worker(self.worker);
    }
}
