//! Locks on applications and tables that are about to be created or removed.

use super::held_lock::{HeldKeys, HeldLock};
use super::name::shown;
use crate::error::{Error, ErrorKind, Result};

/// The setup locks of one instance whose clients are all in one process: rule C13 of
/// [`Applications`](super::Applications). A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct SetupLocks {
    held: HeldKeys<Subject>,
}

/// A locked object, by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Application(String),
    Table(String),
}

impl SetupLocks {
    /// Locks an application and a table, both or neither.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) while another caller has locked one of them.
    pub fn lock_setup(&self, application: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let subjects = [
            Subject::Application(application.to_owned()),
            Subject::Table(table.to_owned()),
        ];
        self.held.take(subjects).map_err(|other| match other {
            Subject::Application(name) => application_locked(&name),
            Subject::Table(name) => table_locked(&name),
        })
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
    fn names_the_locked_object() {
        let locks = SetupLocks::default();
        let held = locks.lock_setup("web", "pages").unwrap();
        let message = |application, table| {
            locks
                .lock_setup(application, table)
                .unwrap_err()
                .to_string()
        };
        let end = "is being created or removed by another caller; wait until that has finished, then check its state";
        assert_eq!(message("web", "x"), format!("the application `web` {end}"));
        assert_eq!(message("x", "pages"), format!("the table `pages` {end}"));
        drop(held);
        assert!(locks.lock_setup("web", "pages").is_ok());
    }
}
