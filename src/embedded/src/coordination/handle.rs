//! The port to one application.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, Epochs, FailedNotification, HeldLock, PendingCommit, TimestampBlock,
    Transactor, TransactorId, WorkerMembership, check_settings, zookeeper_format,
};
use fluo_table::{Error, Result, RowColumn, Timestamp};
use tokio::time::Instant;

use super::sessions::{Presence, Present};
use crate::application_state::{EmbeddedApplication, Stamps, dead_letters, nodes};
use crate::engine::{Snapshot, Transaction};
use crate::error::Failure;
use crate::scan::off_the_runtime;
use crate::tables::Shared;
use crate::writer::Verdict;

#[derive(Debug)]
pub(super) struct EmbeddedCoordination {
    pub(super) application: Arc<EmbeddedApplication>,
    pub(super) shared: Arc<Shared>,
}

impl EmbeddedCoordination {
    /// Runs a job of the writer if the application still exists by then.
    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Transaction<'_>, Arc<EmbeddedApplication>) -> Result<Verdict<T>, Failure>
        + Send
        + 'static,
    ) -> Result<T> {
        let application = self.application.clone();
        let job = move |transaction: &mut Transaction<'_>| {
            application.check_there()?;
            if !nodes::exist(transaction, &application.name)? {
                return Err(Error::no_such_application(&application.name).into());
            }
            job(transaction, application)
        };
        self.shared.writer.run(job).await
    }

    async fn put(&self, node: &'static str, bytes: Vec<u8>) -> Result<()> {
        self.run(move |transaction, application| {
            nodes::put(transaction, &application.name, node, &bytes)?;
            Ok(Verdict::Commit(()))
        })
        .await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Snapshot, &str) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let (store, name) = (self.shared.store.clone(), self.application.name.clone());
        let found = off_the_runtime(move || store.read(|snapshot| read(snapshot, &name))).await;
        // After the read, because the data may belong to a later application of the same name.
        self.application.check_there()?;
        found
    }

    /// Takes `count` timestamps with `take`. If that returns `None`, reserves more of them in the
    /// directory first.
    async fn take(
        &self,
        count: NonZeroU32,
        take: impl Fn(&mut Stamps) -> Result<Option<TimestampBlock>> + Send + Sync,
    ) -> Result<TimestampBlock> {
        let take = |stamps: &mut Stamps| {
            // Before a timestamp is taken: if the clock panics, no commit is pending for ever.
            let now_ms = self.shared.writer.now_ms();
            let taken = take(stamps)?;
            if taken.is_some() {
                stamps.timeline.record(stamps.reserved.next(), now_ms);
            }
            Ok::<_, Error>(taken)
        };
        self.application.check_there()?;
        let at_hand = take(&mut self.application.stamps())?;
        if let Some(block) = at_hand {
            return Ok(block);
        }
        let _alone = self.application.reserving.lock().await;
        let (end, timeline) = {
            let mut stamps = self.application.stamps();
            // Another caller may have reserved timestamps in the meantime.
            if let Some(block) = take(&mut stamps)? {
                return Ok(block);
            }
            let end = stamps.reserved.plan(count, Instant::now().into_std())?;
            let next = stamps.reserved.next();
            stamps.timeline.record(next, self.shared.writer.now_ms());
            (end, stamps.timeline.encode())
        };
        // If the caller is cancelled here, the reservation is stored but not in memory: the
        // next caller reserves again.
        self.run(move |transaction, application| {
            let name = &application.name;
            let bytes = zookeeper_format::timestamp(end);
            nodes::put(transaction, name, zookeeper_format::MAX_TIMESTAMP, &bytes)?;
            nodes::put(transaction, name, zookeeper_format::TIMELINE, &timeline)?;
            Ok(Verdict::Commit(()))
        })
        .await?;
        let mut stamps = self.application.stamps();
        stamps.reserved.reserved(end);
        let block = take(&mut stamps)?;
        block.ok_or_else(|| {
            let message = "timestamps that were just reserved are missing";
            fluo_table::Error::new(fluo_table::ErrorKind::Storage, message)
        })
    }
}

#[async_trait]
impl Coordination for EmbeddedCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        let block = self.take(count, |stamps| stamps.take(count)).await?;
        let ended = |context: &mut Context<'_>| {
            self.application.stamps().pending.poll_ended_below(block.first, context)
        };
        poll_fn(ended).await;
        // A commit whose outcome is unknown ends too.
        self.shared.store.check_certain()?;
        Ok(block)
    }

    async fn begin_commit(&self, start: Timestamp) -> Result<Option<PendingCommit>> {
        self.shared.store.check_certain()?;
        let commit = self.take(NonZeroU32::MIN, |stamps| stamps.begin_commit(start)).await?;
        let application = self.application.clone();
        let end = move || application.stamps().pending.end(commit.first);
        Ok(Some(PendingCommit::new(commit.first, commit.horizon, end)))
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.application.check_there()?;
        Ok(self.application.stamps().horizon)
    }

    async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>> {
        self.application.check_there()?;
        let now_ms = self.shared.writer.now_ms();
        Ok(self.application.stamps().timeline.ages(timestamps, now_ms))
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        let _alone = self.application.horizon_moves.lock().await;
        let (before, after) = {
            let sessions = self.application.sessions();
            let mut stamps = self.application.stamps();
            let most = stamps.pending.max_horizon(stamps.reserved.next());
            stamps.next_horizon = sessions.horizon_after(stamps.horizon, most);
            (stamps.horizon, stamps.next_horizon)
        };
        self.run(move |transaction, application| {
            if before == after {
                return Ok(Verdict::Discard(()));
            }
            let bytes = zookeeper_format::timestamp(after);
            nodes::put(transaction, &application.name, zookeeper_format::HORIZON, &bytes)?;
            Ok(Verdict::Commit(()))
        })
        .await?;
        self.application.stamps().horizon = after;
        Ok(after)
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let begin = |transaction: &mut Transaction<'_>, application: Arc<EmbeddedApplication>| {
            let name = &application.name;
            application.sessions().check_shared(name)?;
            let last = nodes::last_transactor(transaction, name)?;
            let count = zookeeper_format::transactor_count(last + 1);
            nodes::put(transaction, name, zookeeper_format::TRANSACTOR_COUNT, &count)?;
            let id = TransactorId(last + 1);
            Ok(Verdict::Commit(Presence::begin(application, id)))
        };
        Ok(Box::new(Present { presence: self.run(begin).await?, _directory: self.shared.clone() }))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.application.check_there()?;
        Ok(self.application.sessions().is_alive(transactor))
    }

    async fn last_transactor(&self) -> Result<TransactorId> {
        let last = |transaction: &mut Transaction<'_>, application: Arc<EmbeddedApplication>| {
            let last = nodes::last_transactor(transaction, &application.name)?;
            Ok(Verdict::Discard(TransactorId(last)))
        };
        self.run(last).await
    }

    async fn presence(&self) -> Result<fluo_table::coordination::Presence> {
        self.application.check_there()?;
        Ok(self.application.sessions().presence())
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        let join = |_: &mut Transaction<'_>, application: Arc<EmbeddedApplication>| {
            application.sessions().check_shared(&application.name)?;
            Ok(Verdict::Discard(Presence::join(application)))
        };
        Ok(Box::new(Present { presence: self.run(join).await?, _directory: self.shared.clone() }))
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        let failed = failed.bounded();
        self.run(move |transaction, application| {
            let (name, count) = (&application.name, &application.dead_letters);
            dead_letters::put(transaction, name, count, &failed)?;
            Ok(Verdict::Commit(()))
        })
        .await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.read(dead_letters::list).await
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        let cell = cell.clone();
        self.run(move |transaction, application| {
            let (name, count) = (&application.name, &application.dead_letters);
            if dead_letters::remove(transaction, name, count, &cell, up_to)? {
                return Ok(Verdict::Commit(true));
            }
            Ok(Verdict::Discard(false))
        })
        .await
    }

    async fn application(&self) -> Result<Application> {
        self.read(nodes::read).await
    }

    async fn check_epoch(&self, found: Option<&str>) -> Result<()> {
        let recorded = self.read(nodes::epochs).await?;
        Epochs::check(&self.application.name, recorded.as_ref(), found)
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        let found = found.map(str::to_owned);
        let own = self.shared.epoch.clone();
        self.run(move |transaction, application| {
            let name = &application.name;
            let recorded = nodes::epochs(transaction, name)?;
            let begun = Epochs::begin(name, recorded.as_ref(), &own, found.as_deref())?;
            if recorded.as_ref() == Some(&begun) || found.as_ref() == Some(&begun.last) {
                return Ok(Verdict::Discard(begun.last));
            }
            nodes::put(transaction, name, zookeeper_format::EPOCHS, &begun.encode())?;
            Ok(Verdict::Commit(begun.last))
        })
        .await
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        self.application.check_there()?;
        self.application.sessions().take_duty(duty)
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        let application = &self.application;
        application.check_there()?;
        application.sessions().exclude_others(&application.name, own)
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        check_settings(&settings)?;
        self.put(zookeeper_format::SETTINGS, zookeeper_format::settings(&settings)).await
    }
}
