//! Locks on applications and tables that are about to be created or removed.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::name::shown;
use crate::error::{Error, ErrorKind, Result};

/// A lock on an application and a table, from [`lock_setup`](super::Applications::lock_setup) until
/// this is dropped or the process ends. If locks are kept in another process, it also ends with the
/// session in which it was made, without notice. A lock is advisory; the stored state protects (C13
/// of [`Applications`](super::Applications)).
pub trait SetupLock: Debug + Send + Sync {}

/// The setup locks of one instance whose clients are all in one process: rule C13 of
/// [`Applications`](super::Applications). A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct SetupLocks {
    claimed: Arc<Mutex<BTreeSet<Claimed>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claimed {
    Application(String),
    Table(String),
}

#[derive(Debug)]
struct HeldClaim {
    all: SetupLocks,
    held: [Claimed; 2],
}

impl SetupLock for HeldClaim {}

impl SetupLocks {
    /// Locks an application and a table, both or neither.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) while another caller has claimed one of them.
    pub fn lock_setup(&self, application: &str, table: &str) -> Result<Box<dyn SetupLock>> {
        let held = [
            Claimed::Application(application.to_owned()),
            Claimed::Table(table.to_owned()),
        ];
        let mut claimed = self.locked();
        if let Some(other) = held.iter().find(|one| claimed.contains(one)) {
            return Err(claimed_already(other));
        }
        claimed.extend(held.iter().cloned());
        Ok(Box::new(HeldClaim {
            all: self.clone(),
            held,
        }))
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<Claimed>> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldClaim {
    fn drop(&mut self) {
        let mut claimed = self.all.locked();
        for held in &self.held {
            claimed.remove(held);
        }
    }
}

fn claimed_already(claimed: &Claimed) -> Error {
    match claimed {
        Claimed::Application(name) => application_locked(name),
        Claimed::Table(name) => table_locked(name),
    }
}

/// Creates the error that every implementation returns for an application whose set-up lock another
/// caller has.
pub fn application_locked(name: &str) -> Error {
    locked_by_other(&format!("the application `{}`", shown(name)))
}

/// Creates the error that every implementation returns for a table whose set-up lock another caller
/// has.
pub fn table_locked(name: &str) -> Error {
    locked_by_other(&format!("the table `{}`", shown(name)))
}

fn locked_by_other(subject: &str) -> Error {
    let message = format!(
        "{subject} is being created or removed by another caller; wait until that has finished, then check its state"
    );
    Error::new(ErrorKind::Unavailable, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_claimed_object() {
        let claims = SetupLocks::default();
        let held = claims.lock_setup("web", "pages").unwrap();
        let message = |application, table| {
            claims
                .lock_setup(application, table)
                .unwrap_err()
                .to_string()
        };
        let end = "is being created or removed by another caller; wait until that has finished, then check its state";
        assert_eq!(message("web", "x"), format!("the application `web` {end}"));
        assert_eq!(message("x", "pages"), format!("the table `pages` {end}"));
        drop(held);
        assert!(claims.lock_setup("web", "pages").is_ok());
    }
}
