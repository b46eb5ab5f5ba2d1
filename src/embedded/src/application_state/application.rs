//! The open applications: the state that the handles of one share, and the state that exists only
//! during the life of the process.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use fluo_table::coordination::{
    HeldLocks, PendingCommits, ReservedTimestamps, Sessions, Timeline, TimestampBlock,
    zookeeper_format,
};
use fluo_table::{Error, Result, Timestamp, locked};

use super::dead_letters::Count;
use super::nodes;
use crate::engine::Snapshot;
use crate::error::Failure;
use crate::store::Store;

/// The state that all handles of an application share. It does not hold the directory, because the
/// writer thread also has references to it and must not be the last holder.
#[derive(Debug)]
pub(crate) struct EmbeddedApplication {
    pub(crate) name: Arc<str>,
    /// The transactors and workers that are present.
    sessions: Mutex<Sessions>,
    /// The timestamps and the horizon. To hold both locks, lock the sessions first.
    stamps: Mutex<Stamps>,
    /// Held by a caller that reserves timestamps; other callers wait for the result.
    pub(crate) reserving: tokio::sync::Mutex<()>,
    /// Held while the horizon is moved, and while a timestamp is published: so no timestamp is
    /// published below a horizon that is being written to the file.
    pub(crate) horizon_moves: tokio::sync::Mutex<()>,
    pub(crate) dead_letters: Count,
    /// True for a removed application: a handle on it must not reach the next one of the same name.
    is_removed: AtomicBool,
}

impl EmbeddedApplication {
    pub(crate) fn open(snapshot: &Snapshot, name: &str) -> Result<Self, Failure> {
        // Read everything, so that damage is detected here.
        nodes::read(snapshot, name)?;
        let end = nodes::timestamp_at(snapshot, name, zookeeper_format::MAX_TIMESTAMP)?;
        let horizon = nodes::timestamp_at(snapshot, name, zookeeper_format::HORIZON)?;
        let stamps = Stamps {
            reserved: ReservedTimestamps::new(end),
            timeline: nodes::timeline(snapshot, name)?.unwrap_or_default(),
            horizon,
            next_horizon: horizon,
            pending: PendingCommits::default(),
        };
        Ok(Self {
            name: name.into(),
            sessions: Mutex::default(),
            stamps: Mutex::new(stamps),
            reserving: tokio::sync::Mutex::default(),
            horizon_moves: tokio::sync::Mutex::default(),
            dead_letters: Count::default(),
            is_removed: AtomicBool::new(false),
        })
    }

    pub(crate) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        locked(&self.sessions)
    }

    pub(crate) fn stamps(&self) -> MutexGuard<'_, Stamps> {
        locked(&self.stamps)
    }

    pub(crate) fn check_there(&self) -> Result<()> {
        if self.is_removed.load(Ordering::Acquire) {
            return Err(Error::no_such_application(&self.name));
        }
        Ok(())
    }

    pub(crate) fn set_removed(&self, is_removed: bool) {
        self.is_removed.store(is_removed, Ordering::Release);
    }
}

/// The timestamps of an open application, reserved in the file.
#[derive(Debug)]
pub(crate) struct Stamps {
    pub(crate) reserved: ReservedTimestamps,
    /// The times of timestamps. The directory has those before the last reservation.
    pub(crate) timeline: Timeline,
    /// The horizon that is in force, and in the directory.
    pub(crate) horizon: Timestamp,
    /// The horizon that is being written to the directory, or the one in force.
    pub(crate) next_horizon: Timestamp,
    pub(crate) pending: PendingCommits,
}

impl Stamps {
    /// Hands out `count` timestamps, or returns `None` if fewer are reserved.
    pub(crate) fn take(&mut self, count: NonZeroU32) -> Result<Option<TimestampBlock>> {
        let first = self.reserved.take(count)?;
        Ok(first.map(|first| TimestampBlock { first, count, horizon: self.horizon }))
    }

    /// Begins the commit of a transaction that began at `start`, or returns `None` if no timestamp
    /// is reserved. A horizon that is being written may be in force before the commit ends.
    pub(crate) fn begin_commit(&mut self, start: Timestamp) -> Result<Option<TimestampBlock>> {
        let taken = self.take(NonZeroU32::MIN)?;
        Ok(taken.map(|taken| {
            self.pending.begin(taken.first, start);
            TimestampBlock { horizon: self.next_horizon, ..taken }
        }))
    }
}

/// The applications that were opened since the directory was opened, by name: one value for all
/// handles of an application.
///
/// An application that is being removed, or was removed, stays here until its name is initialized
/// again, so that it cannot be opened from an older snapshot.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    applications: Mutex<BTreeMap<String, Arc<EmbeddedApplication>>>,
    /// The applications that are being created or removed. One process holds the directory, so all
    /// claims are here.
    pub(crate) claims: HeldLocks,
}

impl Registry {
    pub(crate) fn open(&self, store: &Store, name: &str) -> Result<Arc<EmbeddedApplication>> {
        // The snapshot is taken under the lock, so the inserted state is the last stored one.
        let mut applications = locked(&self.applications);
        if let Some(application) = applications.get(name) {
            application.check_there()?;
            return Ok(application.clone());
        }
        let application = store.read(|snapshot| EmbeddedApplication::open(snapshot, name))?;
        let application = Arc::new(application);
        applications.insert(name.to_owned(), application.clone());
        Ok(application)
    }

    /// Forgets an application, because the next one with this name is a different one.
    pub(crate) fn forget(&self, name: &str) {
        locked(&self.applications).remove(name);
    }
}
