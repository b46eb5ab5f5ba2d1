//! The port to all applications of an instance: [`Applications`], and their names.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::coordination::{Application, Coordination, HeldLock};
use crate::data::shown;
use crate::error::{Error, Result};

/// The applications of one instance: their creation and removal, and the [`Coordination`] of each.
///
/// This port does not access tables: `fluo_engine::ApplicationHandle::initialize` creates the
/// table of an application, and records the application here.
///
/// # Contract
///
/// - **C10, life.** [`check_application_name`] defines the valid names. Any other name is
///   [`Invalid`](crate::ErrorKind::Invalid) for `initialize` and, like the name of an application
///   that does not exist, [`NotFound`](crate::ErrorKind::NotFound) for all other calls. An
///   application that [`Application::check`] rejects is not initialized.
///   Initializing one that exists is [`AlreadyExists`](crate::ErrorKind::AlreadyExists), and
///   changes nothing; of several concurrent calls that initialize one name, one succeeds.
///   Initializing is also `AlreadyExists` if another application has the same table at the instant
///   at which the new one would be recorded; of several concurrent calls that initialize
///   applications on one table, one succeeds.
/// - **C11, removal.** Removing an application removes its settings, timestamps, transactors'
///   numbers and failed notifications. One that is initialized later under the same name starts
///   from the beginning, and every call of a handle on the old one is `NotFound`. An application is
///   running as long as it has a transactor or a worker. Removing a running one is
///   [`Unavailable`](crate::ErrorKind::Unavailable).
/// - **C12, effect.** A call that returned `Ok` is in force for every later call of this instance,
///   and survives a crash of the process at the next instant. The exception is the presence of
///   transactors and workers, which ends with their process. After an
///   [`Uncertain`](crate::ErrorKind::Uncertain) error, or if the future of a call was dropped, the
///   call may be in force, wholly or not at all. If the result of `begin_transactor` or
///   `join_workers` is lost, the transactor or worker is not present.
/// - **C13, claims.** A claim covers an application and a table together, for one caller at a time:
///   while either of them is claimed, another claim of it is
///   [`Unavailable`](crate::ErrorKind::Unavailable). A claim ends when it is dropped, and with the
///   process that holds it. Claims are independent of all other state: neither the application
///   nor the table needs to exist, and no other call checks claims. A claim is therefore advisory.
///   If a session ends while its holder works, the claim ends with it, without notice to the
///   holder. Requests that the holder has sent by then, or sends next, may take effect while
///   another caller holds the claim (C12). From then on the stored state protects: of two callers
///   that record one application, or two applications on one table, one fails (C10), and a running
///   application is not removed (C11). Nothing protects a table from deletion.
#[async_trait]
pub trait Applications: Debug + Send + Sync {
    /// Records a new application, as a whole or not at all, unless there is one with this name or
    /// this table.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid), [`AlreadyExists`](crate::ErrorKind::AlreadyExists).
    async fn initialize(&self, name: &str, application: Application) -> Result<()>;

    /// Returns the coordination of an application.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound); the message names the application.
    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>>;

    /// Returns the names of all applications, sorted.
    async fn list(&self) -> Result<Vec<String>>;

    /// Checks whether an application has a transactor or a worker.
    async fn is_running(&self, name: &str) -> Result<bool>;

    /// Locks an application and its table, for a caller that is about to create or remove them.
    /// Both take several steps, and two callers that take them at the same time would each delete
    /// what the other one creates.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while another caller has claimed one of them
    /// (C13).
    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>>;

    /// Removes an application. Its table stays.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Unavailable`](crate::ErrorKind::Unavailable)
    /// while it is running.
    async fn remove(&self, name: &str) -> Result<()>;
}

/// The maximum length of an application's name, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// Checks the name of an application. The name is one part of a path in ZooKeeper, as in Fluo.
///
/// It must not be empty, and must not contain `/`, `.`, `:`, control characters, private-use
/// characters or characters beyond 16 bits.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid); the message states the rule.
pub fn check_application_name(name: &str) -> Result<()> {
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.chars().any(is_refused) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` cannot be the name of an application: use 1 to {MAX_NAME_BYTES} letters, digits, `-` and `_`",
        shown(name)
    )))
}

/// Checks whether Fluo rejects a character. Fluo checks 16-bit units; a character beyond them is
/// two of these.
fn is_refused(c: char) -> bool {
    matches!(c, '/' | '.' | ':')
        || c.is_control()
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_names_that_fluo_accepts() {
        for good in ["a", "web-index_2", "Zählung", "a b", &"x".repeat(255)] {
            assert!(check_application_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(256);
        let controls = ["a\n", "\u{7f}", "\u{85}", "\u{e000}", "\u{fffd}", "😀"];
        for bad in ["", "a/b", "a.b", "a:b", &long].into_iter().chain(controls) {
            let message = check_application_name(bad).unwrap_err().to_string();
            assert!(message.contains("cannot be the name of an application: use 1 to 255 letters"));
            assert!(message.len() < 400 && !message.contains('\n'));
        }
    }
}
