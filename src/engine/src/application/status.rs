//! The state of an application, and its stored configuration.

use std::fmt;

use fluo_table::coordination::{Application, Applications};
use fluo_table::{Error, ErrorKind, Result};

use crate::application::{ApplicationHandle, binding};

/// The state of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// There is no application of this name.
    NotFound,
    /// The application exists, and has neither transactors nor workers.
    Stopped,
    /// The application has transactors or workers.
    Running,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotFound => "NOT_FOUND",
            Self::Stopped => "STOPPED",
            Self::Running => "RUNNING",
        })
    }
}

impl ApplicationHandle {
    /// Returns the state of the application.
    ///
    /// # Errors
    ///
    /// Those of [`Applications::is_running`], apart from `NotFound`.
    pub async fn status(&self) -> Result<Status> {
        match self.instance.applications().is_running(&self.name).await {
            Ok(true) => Ok(Status::Running),
            Ok(false) => Ok(Status::Stopped),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Status::NotFound),
            Err(error) => Err(error),
        }
    }

    /// Checks that the table of the application belongs to it, and changes nothing.
    ///
    /// # Errors
    ///
    /// - [`NotFound`](ErrorKind::NotFound) if the application or its table does not exist.
    /// - [`Invalid`](ErrorKind::Invalid) if the table belongs to another application, drops
    ///   versions of cells, or was opened with another copy of the coordination since.
    /// - The errors of the ports, such as [`Denied`](ErrorKind::Denied) if the user may not read
    ///   the properties of the table.
    pub async fn check_table(&self) -> Result<()> {
        let coordination = self.instance.applications().open(&self.name).await?;
        binding::check(&**self.instance.table_admin(), &*coordination).await
    }

    /// Returns the stored application, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Those of the coordination, apart from `NotFound`.
    pub async fn stored(&self) -> Result<Option<Application>> {
        stored(&**self.instance.applications(), &self.name).await
    }
}

async fn stored(applications: &dyn Applications, name: &str) -> Result<Option<Application>> {
    match read(applications, name).await {
        Ok(application) => Ok(Some(application)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) async fn read(applications: &dyn Applications, name: &str) -> Result<Application> {
    applications.open(name).await?.application().await
}

/// Returns the names of the applications that have this table, sorted. There is at most one (C10 of
/// [`Applications`]), unless another client created several. It omits an application that is
/// removed meanwhile.
///
/// # Errors
///
/// Those of [`Applications::list`], [`Applications::open`] and
/// [`Coordination::application`](fluo_table::coordination::Coordination::application).
pub async fn applications_of(applications: &dyn Applications, table: &str) -> Result<Vec<String>> {
    owners(applications, table, |_| false).await
}

/// As [`applications_of`], without those that cannot be read, such as one of a later format.
pub(super) async fn readable_applications_of(
    applications: &dyn Applications,
    table: &str,
) -> Result<Vec<String>> {
    owners(applications, table, |error| !error.kind().is_passing()).await
}

async fn owners(
    applications: &dyn Applications,
    table: &str,
    omits: impl Fn(&Error) -> bool,
) -> Result<Vec<String>> {
    let mut owners = Vec::new();
    for name in applications.list().await? {
        match stored(applications, &name).await {
            Ok(Some(stored)) if stored.table == table => owners.push(name),
            Ok(_) => {}
            Err(error) if omits(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(owners)
}
