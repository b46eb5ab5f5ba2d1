//! The errors that every implementation of the ports of this module returns.

use crate::coordination::{FailedNotification, TransactorId};
use crate::data::shown;
use crate::error::{Error, ErrorKind};

impl Error {
    /// Creates the error for an application that does not exist.
    pub fn no_such_application(name: &str) -> Self {
        let message = format!("application `{}` does not exist; create it first", shown(name));
        Self::new(ErrorKind::NotFound, message)
    }

    /// Creates the error for the creation of an application that exists.
    pub fn application_exists(name: &str) -> Self {
        let name = shown(name);
        let message =
            format!("the application `{name}` is already initialized; open it, or remove it first");
        Self::new(ErrorKind::AlreadyExists, message)
    }

    /// Creates the error for an application whose table belongs to another one.
    pub fn table_in_use(name: &str, table: &str, other: &str) -> Self {
        let name = shown(name);
        let message = format!(
            "the table `{table}` belongs to the application `{other}`; choose another table for `{name}`"
        );
        Self::new(ErrorKind::AlreadyExists, message)
    }

    /// Creates the error for the removal of an application that is running.
    pub fn still_running(name: &str) -> Self {
        let name = shown(name);
        Self::unavailable(format!(
            "the application `{name}` is running; stop its clients and workers first"
        ))
    }

    /// Creates the error for an application that another transactor has excluded others from.
    pub fn used_alone(name: &str) -> Self {
        let name = shown(name);
        Self::unavailable(format!(
            "another process uses the application `{name}` alone; try again when it has ended"
        ))
    }

    /// Creates the error for a transactor whose session has ended.
    pub fn transactor_ended(id: TransactorId) -> Self {
        Self::unavailable(format!(
            "the session of transactor {id} has ended, so others may undo its transactions; begin a new one"
        ))
    }

    /// Creates the error for a worker whose session has ended.
    pub fn worker_ended() -> Self {
        Self::unavailable(
            "the session of this worker has ended, so other workers take over its share; join again",
        )
    }

    /// Creates the error for an application or table (`what`) whose setup lock another caller has.
    pub fn setup_locked(what: &str, name: &str) -> Self {
        let name = shown(name);
        Self::unavailable(format!(
            "another caller is creating or removing the {what} `{name}`; wait, then check its state"
        ))
    }

    /// Creates the error for one dead letter too many.
    pub fn too_many_dead_letters() -> Self {
        Self::unavailable(format!(
            "the maximum of {} failed notifications is stored; fix the cause, then retry or remove some",
            FailedNotification::MAX_DEAD_LETTERS
        ))
    }
}
