//! Locks that end when they are dropped.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::coordination::TransactorId;
use crate::error::{Error, Result};

/// A lock that this caller holds until this is dropped or the process ends. If locks are kept in
/// another process, it also ends with the session in which it was taken, without notice.
pub trait HeldLock: Debug + Send + Sync {}

/// An object that can be locked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LockKey {
    Application(String),
    Table(String),
    Duty(String),
    /// The exclusive use of an application by a transactor.
    Exclusive(TransactorId),
}

/// The held locks of one process. A clone shares them.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldLocks(Arc<Mutex<BTreeSet<LockKey>>>);

/// The locks that one caller holds.
#[derive(Debug)]
struct OwnLocks {
    all: HeldLocks,
    own: Vec<LockKey>,
}

impl HeldLocks {
    /// Takes all keys, or none.
    ///
    /// # Errors
    ///
    /// The first key that is held.
    pub(super) fn take(&self, own: impl Into<Vec<LockKey>>) -> Result<Box<dyn HeldLock>, LockKey> {
        let own = own.into();
        let mut held = self.locked();
        if let Some(other) = own.iter().find(|key| held.contains(key)) {
            return Err(other.clone());
        }
        held.extend(own.iter().cloned());
        Ok(Box::new(OwnLocks { all: self.clone(), own }))
    }

    /// Checks whether any transactor has the exclusive use.
    pub(super) fn is_exclusive(&self) -> bool {
        self.locked().iter().any(|held| matches!(held, LockKey::Exclusive(_)))
    }

    /// Releases a key for its holder.
    pub(super) fn release(&self, key: &LockKey) {
        self.locked().remove(key);
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<LockKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldLock for OwnLocks {}

impl Drop for OwnLocks {
    fn drop(&mut self) {
        for key in &self.own {
            self.all.release(key);
        }
    }
}

/// The setup locks of one instance whose clients are all in one process: rule C13 of
/// [`Applications`](super::Applications). A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct SetupLocks(HeldLocks);

impl SetupLocks {
    /// Locks an application and a table, both or neither.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while another caller has locked one of them.
    pub fn lock_setup(&self, application: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let table_key = LockKey::Table(table.to_owned());
        let taken = self.0.take([LockKey::Application(application.to_owned()), table_key.clone()]);
        taken.map_err(|held| {
            if held == table_key {
                Error::table_locked(table)
            } else {
                Error::application_locked(application)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_locked_object() {
        let locks = SetupLocks::default();
        let held = locks.lock_setup("web", "pages").unwrap();
        let message =
            |application, table| locks.lock_setup(application, table).unwrap_err().to_string();
        assert_eq!(
            message("web", "x"),
            "another caller is creating or removing the application `web`; wait, then check its state"
        );
        assert_eq!(
            message("x", "pages"),
            "another caller is creating or removing the table `pages`; wait, then check its state"
        );
        drop(held);
        assert!(locks.lock_setup("web", "pages").is_ok());
    }
}
