//! The port to all applications of an instance.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use super::name::shown;
use crate::coordination::{Application, Coordination, SetupClaim};
use crate::error::{Error, ErrorKind, Result};

/// The applications of one instance: their life, and the [`Coordination`] of each.
///
/// It knows nothing of tables: [`admin::initialize`](crate::admin::initialize) makes the table of an application, and
/// records the application here.
///
/// # Contract
/// - **C10, life.** [`check_application_name`](super::check_application_name) says what a name may be; another one is
///   [`Invalid`](ErrorKind::Invalid) for `initialize` and [`NotFound`](ErrorKind::NotFound) for everything else, as an
///   application that does not exist is. What [`Application::check`] refuses is not initialised. Initialising one that
///   exists is [`AlreadyExists`](ErrorKind::AlreadyExists), and changes nothing; of several that initialise one name at
///   once, one succeeds. It is `AlreadyExists` as well where another application has the table, at the instant at which
///   this one would be recorded, and of several that initialise applications on one table at once, one succeeds.
/// - **C11, removal.** A removed application takes its settings, timestamps, transactors' numbers and failed
///   notifications with it: one initialised later under the same name begins anew, and every call of a handle on the
///   old one is `NotFound`. An application is running as long as it has a transactor or a worker, and a running one is
///   not removed: [`Unavailable`](ErrorKind::Unavailable).
/// - **C12, effect.** A call that returned `Ok` is in force for every later call of this instance, and survives a crash
///   of the process at the next instant, apart from the presence of transactors and workers, which ends with their
///   process. After an [`Uncertain`](ErrorKind::Uncertain) error, or when its future was dropped, a call may be in force,
///   wholly or not at all: who begins a transactor or joins the workers and is not told is not present.
/// - **C13, claims.** An application and a table are claimed together, by one at a time: while one of them is claimed,
///   whoever else claims it is refused with [`Unavailable`](ErrorKind::Unavailable). A claim ends when it is dropped, and
///   with the process that holds it. It is kept apart from everything else: neither need exist, and the other calls do not
///   look at it. So it is advice: a session that ends while its holder works takes the claim with it, the holder is not
///   told, and what it has asked for until then, or asks for next, may take effect while somebody else holds the claim
///   (C12). From then on the stored state protects: of two that record an application, or one table for two
///   applications, one is refused (C10), and a running one is not removed (C11). A table is not protected from whoever
///   deletes it.
#[async_trait]
pub trait Applications: Debug + Send + Sync {
    /// Records a new application, whole or not at all, unless one of this name or one with this table is there.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid), [`AlreadyExists`](ErrorKind::AlreadyExists).
    async fn initialize(&self, name: &str, application: Application) -> Result<()>;

    /// The coordination of an application.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound), saying how one is initialised.
    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>>;

    /// The names of all applications, sorted.
    ///
    /// # Errors
    /// As rule C12 says.
    async fn list(&self) -> Result<Vec<String>>;

    /// Whether an application has a transactor or a worker.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound).
    async fn is_running(&self, name: &str) -> Result<bool>;

    /// Claims an application and its table, for whoever is about to make or to remove them: these are several steps, and
    /// two who take them at once would each delete what the other one makes.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) while somebody else has claimed one of them (C13).
    async fn claim(&self, name: &str, table: &str) -> Result<Box<dyn SetupClaim>>;

    /// Removes an application. Its table stays.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound), [`Unavailable`](ErrorKind::Unavailable) while it is running.
    async fn remove(&self, name: &str) -> Result<()>;
}

/// The error of every implementation for an application that does not exist.
pub fn no_such_application(name: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "there is no application `{}`; `fluo app init`, or `admin::initialize` in a program, makes one",
            shown(name)
        ),
    )
}

/// The error of every implementation for an application that is initialised already.
pub fn initialized_already(name: &str) -> Error {
    Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "the application `{}` is initialised already; open it, or remove it first",
            shown(name)
        ),
    )
}

/// The error of every implementation for an application whose table is that of another one.
pub fn table_of_another(name: &str, table: &str, other: &str) -> Error {
    Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "the table `{table}` is that of the application `{other}`; give `{}` a table of its own",
            shown(name)
        ),
    )
}

/// The error of every implementation for an application that is to be removed while it runs.
pub fn still_running(name: &str) -> Error {
    Error::new(
        ErrorKind::Unavailable,
        format!(
            "the application `{}` is running; stop its clients and workers first",
            shown(name)
        ),
    )
}
