//! Locks that end when they are dropped.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use crate::coordination::TransactorId;
use crate::error::{Error, Result};
use crate::locked::locked;

/// A lock that this caller holds until this is dropped or the process ends. If locks are kept in
/// another process, it also ends with the session in which it was taken, without notice.
pub trait HeldLock: Debug + Send + Sync {
    /// Checks whether the lock is known to have ended with its session. The default is false.
    fn has_ended(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LockKey {
    Application(String),
    Table(String),
    Duty(String),
    /// The exclusive use of an application by a transactor.
    Exclusive(TransactorId),
}

/// The held locks of clients that are all in one process: setup locks (C13), duties (C15) and
/// exclusive use (C16). A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct HeldLocks(Arc<Mutex<BTreeSet<LockKey>>>);

#[derive(Debug)]
struct OwnLocks {
    all: HeldLocks,
    own: Vec<LockKey>,
}

impl HeldLocks {
    /// Locks an application and a table, both or neither.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while another caller has locked one of them.
    pub fn lock_setup(&self, application: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let keys = [LockKey::Application(application.to_owned()), LockKey::Table(table.to_owned())];
        self.take(keys).map_err(|held| match held {
            LockKey::Table(_) => Error::setup_locked("table", table),
            _ => Error::setup_locked("application", application),
        })
    }

    /// Takes all keys, or none and returns the first one that is held.
    pub(super) fn take(&self, own: impl Into<Vec<LockKey>>) -> Result<Box<dyn HeldLock>, LockKey> {
        let own = own.into();
        let mut held = locked(&self.0);
        if let Some(other) = own.iter().find(|key| held.contains(key)) {
            return Err(other.clone());
        }
        held.extend(own.iter().cloned());
        Ok(Box::new(OwnLocks { all: self.clone(), own }))
    }

    pub(super) fn is_exclusive(&self) -> bool {
        locked(&self.0).iter().any(|held| matches!(held, LockKey::Exclusive(_)))
    }

    pub(super) fn release(&self, key: &LockKey) {
        locked(&self.0).remove(key);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_locked_object() {
        let locks = HeldLocks::default();
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
