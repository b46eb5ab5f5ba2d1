//! Locks on applications and tables that are about to be created or removed.

use super::held_lock::{HeldKeys, HeldLock};
use crate::error::{Error, Result};

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
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while another caller has locked one of them.
    pub fn lock_setup(&self, application: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let subjects =
            [Subject::Application(application.to_owned()), Subject::Table(table.to_owned())];
        self.held.take(subjects).map_err(|other| match other {
            Subject::Application(name) => Error::application_locked(&name),
            Subject::Table(name) => Error::table_locked(&name),
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
