//! An application that is open: what its handles share, and what is there only as long as the process lives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_core::Result;
use fluo_core::coordination::{Sessions, no_such_application, stored};
use redb::ReadTransaction;

use super::nodes;
use super::set_aside::Count;
use super::stamps::Stamps;
use crate::error::Failure;

/// What all handles on an application share. It does not hold the directory: the writer's thread has some too, and must
/// not be the last that does.
#[derive(Debug)]
pub(super) struct EmbeddedApplication {
    pub(super) name: Arc<str>,
    /// Who is present.
    sessions: Mutex<Sessions>,
    /// Timestamps and the horizon. Where both locks are held, the one of the sessions was taken first.
    stamps: Mutex<Stamps>,
    /// Held by who reserves timestamps: the others wait for the result.
    pub(super) reserving: tokio::sync::Mutex<()>,
    /// Held while the horizon is moved, and while something is published: nothing can be published below a horizon that
    /// is on its way to the file.
    pub(super) horizon_moves: tokio::sync::Mutex<()>,
    /// How many failed notifications it has.
    pub(super) set_aside: Count,
    /// A handle that outlives its application must not find the next one of the same name.
    is_removed: AtomicBool,
}

impl EmbeddedApplication {
    /// Opens what is stored. Nobody is present yet.
    pub(super) fn open(snapshot: &ReadTransaction, name: &str) -> Result<Self, Failure> {
        let nodes = nodes::in_snapshot(snapshot)?.ok_or_else(|| no_such_application(name))?;
        if !nodes::exist(&nodes, name)? {
            return Err(no_such_application(name).into());
        }
        // All of it, so that damage is noticed here.
        nodes::read_in(&nodes, name)?;
        let stamps = Stamps::new(
            nodes::timestamp_at(&nodes, name, stored::MAX_TIMESTAMP)?,
            nodes::timestamp_at(&nodes, name, stored::HORIZON)?,
        );
        Ok(Self {
            name: name.into(),
            sessions: Mutex::default(),
            stamps: Mutex::new(stamps),
            reserving: tokio::sync::Mutex::default(),
            horizon_moves: tokio::sync::Mutex::default(),
            set_aside: Count::default(),
            is_removed: AtomicBool::new(false),
        })
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        locked(&self.sessions)
    }

    pub(super) fn stamps(&self) -> MutexGuard<'_, Stamps> {
        locked(&self.stamps)
    }

    /// Refuses what is asked of an application that was removed.
    pub(super) fn check_there(&self) -> Result<()> {
        match self.is_removed() {
            true => Err(no_such_application(&self.name)),
            false => Ok(()),
        }
    }

    pub(super) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Acquire)
    }

    pub(super) fn set_removed(&self, is_removed: bool) {
        self.is_removed.store(is_removed, Ordering::Release);
    }
}

/// A lock whose data is whole even if a holder panicked: every change is applied after it was checked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
