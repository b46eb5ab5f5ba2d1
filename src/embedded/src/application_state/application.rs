//! An open application: the state that its handles share, and the state that exists only during the
//! life of the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use fluo_table::coordination::{ReservedTimestamps, Sessions, zookeeper_format};
use fluo_table::{Error, Result};
use redb::ReadTransaction;

use super::dead_letters::Count;
use super::locked::locked;
use super::nodes;
use super::stamps::Stamps;
use crate::error::Failure;

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
    /// The number of failed notifications.
    pub(crate) dead_letters: Count,
    /// True for a removed application: a handle on it must not reach the next one of the same name.
    is_removed: AtomicBool,
}

impl EmbeddedApplication {
    /// Opens a stored application, without transactors and workers.
    pub(crate) fn open(snapshot: &ReadTransaction, name: &str) -> Result<Self, Failure> {
        let nodes =
            nodes::in_snapshot(snapshot)?.ok_or_else(|| Error::no_such_application(name))?;
        if !nodes::exist(&nodes, name)? {
            return Err(Error::no_such_application(name).into());
        }
        // Read everything, so that damage is detected here.
        nodes::read_in(&nodes, name)?;
        let stamps = Stamps {
            reserved: ReservedTimestamps::new(nodes::timestamp_at(
                &nodes,
                name,
                zookeeper_format::MAX_TIMESTAMP,
            )?),
            horizon: nodes::timestamp_at(&nodes, name, zookeeper_format::HORIZON)?,
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

    /// Returns an error if the application was removed.
    pub(crate) fn check_there(&self) -> Result<()> {
        if self.is_removed() {
            return Err(Error::no_such_application(&self.name));
        }
        Ok(())
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Acquire)
    }

    pub(crate) fn set_removed(&self, is_removed: bool) {
        self.is_removed.store(is_removed, Ordering::Release);
    }
}
