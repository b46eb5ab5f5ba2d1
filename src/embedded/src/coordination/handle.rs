//! The port to one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, Epochs, FailedNotification, HeldLock, TimestampBlock, Transactor,
    TransactorId, WorkerMembership, check_settings, zookeeper_format,
};
use fluo_table::{Error, Result, RowColumn, Timestamp};
use tokio::time::Instant;

use super::sessions::{Presence, Present};
use crate::application_state::{EmbeddedApplication, dead_letters, nodes};
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

    /// Reserves more timestamps in the file, and hands out `count` of them.
    async fn reserve(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        let _alone = self.application.reserving.lock().await;
        let end = {
            let mut stamps = self.application.stamps();
            // Another caller may have reserved timestamps in the meantime.
            if let Some(block) = stamps.take(count)? {
                return Ok(block);
            }
            stamps.reserved.plan(count, Instant::now().into_std())?
        };
        // If the caller is cancelled here, the reservation is in the file but not in memory: the
        // next caller reserves again.
        self.put(zookeeper_format::MAX_TIMESTAMP, zookeeper_format::timestamp(end)).await?;
        let mut stamps = self.application.stamps();
        stamps.reserved.reserved(end);
        let block = stamps.take(count)?;
        block.ok_or_else(|| {
            let message = "timestamps that were just reserved are missing";
            fluo_table::Error::new(fluo_table::ErrorKind::Storage, message)
        })
    }
}

#[async_trait]
impl Coordination for EmbeddedCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.application.check_there()?;
        let at_hand = self.application.stamps().take(count)?;
        match at_hand {
            Some(block) => Ok(block),
            None => self.reserve(count).await,
        }
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.application.check_there()?;
        Ok(self.application.stamps().horizon)
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        let _alone = self.application.horizon_moves.lock().await;
        let (before, after) = {
            let sessions = self.application.sessions();
            let stamps = self.application.stamps();
            (stamps.horizon, sessions.horizon_after(stamps.horizon, stamps.reserved.next()))
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
