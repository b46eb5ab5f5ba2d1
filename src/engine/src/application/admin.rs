//! The life of an application: its table and its shared state, created and removed together.
//!
//! [`application`](crate::InstanceExt::application) is the usual way to call these
//! functions. They are for callers that have the two ports alone.
//!
//! The table and the shared state are in two places, and no step changes both. Therefore an
//! application is recorded last and removed first: an interruption leaves at worst a table without
//! an application, which [`Initialization::clear_table`] replaces. Of two callers that create or
//! remove one application, or one table, at the same time, one is
//! [refused](Applications::lock_setup).
//!
//! A caller that stops waiting, for example after a timeout, gives up its claim at once, but its
//! last call may still take effect: the table is created or deleted, the application is recorded or
//! removed, each wholly or not at all. The same holds for a caller whose session ends (C13 of
//! [`Applications`]). Check the [`status`] before you continue. Two applications never have one
//! table: the second one is refused at the latest when it is recorded. It may have replaced the
//! table by then, so do not use an application after a cancelled initialisation before it was
//! initialised again.
//!
//! # Examples
//!
//! ```
//! use fluo_table::coordination::{Applications, MemoryApplications, ObservedColumn, ObserverKind};
//! use fluo_engine::admin::{self, Initialization, Status};
//! use fluo_engine::Column;
//! use fluo_table::MemoryTables;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_engine::Result<()> {
//! let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
//! let links = ObservedColumn::new(Column::new("page", "links"), ObserverKind::Strong, "count");
//! // The id distinguishes this application from an earlier one of the same name.
//! let initialization = Initialization::new("8d2fa41c", "web").observe(links);
//! admin::initialize(&tables, &applications, "web", initialization).await?;
//! assert_eq!(admin::status(&applications, "web").await?, Status::Stopped);
//!
//! admin::remove(&tables, &applications, "web").await?;
//! assert_eq!(admin::status(&applications, "web").await?, Status::NotFound);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::fmt;

use fluo_table::coordination::{
    Application, Applications, HeldLock, ObservedColumn, application_exists,
    check_application_name, shown_settings, still_running, table_in_use,
};
use fluo_table::{Error, ErrorKind, Result, TableAdmin, TableAdminExt};

use crate::client::application_table;
use crate::observer::check_named;

pub use crate::client::{bind, is_set_up};

/// The configuration of a new application, and what it replaces.
#[derive(Clone, PartialEq, Eq)]
pub struct Initialization {
    /// The id, usually a random UUID, which distinguishes the application from an earlier one of
    /// the same name.
    pub id: String,
    /// The name of its table, which is created.
    pub table: String,
    /// The observed columns.
    pub observers: Vec<ObservedColumn>,
    /// Settings by name.
    pub settings: BTreeMap<String, String>,
    /// True to delete a table of this name first, with all its data. Otherwise such a table is an
    /// error.
    pub clear_table: bool,
    /// True to remove an application of this name first. Otherwise such an application is an error.
    /// Its table must be [`table`](Self::table), or must not exist: another table would be left
    /// behind with rows that belong to no application, and the caller did not ask to delete it.
    pub clear_application: bool,
}

impl fmt::Debug for Initialization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Initialization")
            .field("id", &self.id)
            .field("table", &self.table)
            .field("observers", &self.observers)
            .field("settings", &shown_settings(&self.settings))
            .field("clear_table", &self.clear_table)
            .field("clear_application", &self.clear_application)
            .finish()
    }
}

impl Initialization {
    /// Creates a configuration without observers and settings, which replaces nothing.
    pub fn new(id: impl Into<String>, table: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            table: table.into(),
            observers: Vec::new(),
            settings: BTreeMap::new(),
            clear_table: false,
            clear_application: false,
        }
    }

    /// Adds an observed column.
    #[must_use]
    pub fn observe(mut self, observed: ObservedColumn) -> Self {
        self.observers.push(observed);
        self
    }

    /// Adds a setting.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// Sets that a table and an application of these names are deleted first.
    #[must_use]
    pub fn clear(mut self) -> Self {
        (self.clear_table, self.clear_application) = (true, true);
        self
    }

    /// Checks everything that can be checked without reading anything. [`initialize`] does it too.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for a name, an observed column or a setting.
    pub fn check(&self, name: &str) -> Result<()> {
        check_application_name(name)?;
        self.observers.iter().try_for_each(check_named)?;
        self.clone().into_application().check()
    }

    fn into_application(self) -> Application {
        Application {
            id: self.id,
            table: self.table,
            observers: self.observers,
            settings: self.settings,
        }
    }
}

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

/// Creates an application and its table.
///
/// The call claims both until it returns, and checks everything before it changes anything. Then it
/// removes an application and deletes a table of these names, if asked to; creates the table and
/// sets it up; and records the application. An interruption leaves at worst a table without an
/// application: call it again with [`clear_table`](Initialization::clear_table).
///
/// # Errors
///
/// - [`Invalid`](ErrorKind::Invalid): a name, an observed column or a setting is invalid, or the
///   servers lack a part that [transactions need](TableAdmin::check_transactions). Nothing was
///   changed.
/// - [`AlreadyExists`](ErrorKind::AlreadyExists): the application or the table exists and is not to
///   be cleared, the table belongs to another application, or the application has another table.
///   Nothing was changed.
/// - [`Unavailable`](ErrorKind::Unavailable): the application is running, or another caller is
///   creating or removing the application or the table. Nothing was changed.
/// - The errors of the ports: earlier steps stay done.
pub async fn initialize(
    tables: &dyn TableAdmin,
    applications: &dyn Applications,
    name: &str,
    initialization: Initialization,
) -> Result<()> {
    initialization.check(name)?;
    tables.check_transactions().await?;
    let (clear_table, clear_application) =
        (initialization.clear_table, initialization.clear_application);
    let application = initialization.into_application();
    let (id, table) = (application.id.clone(), application.table.clone());
    let _claim = applications.lock_setup(name, &table).await?;
    let is_there = is_clear_to_begin(applications, name, clear_application).await?;
    if is_there {
        check_same_table(tables, applications, name, &table).await?;
    }
    check_owner(applications, name, &table).await?;
    let has_table = tables.table_exists(&table).await?;
    if has_table && !clear_table {
        return Err(table_is_there(name, &table));
    }
    if is_there {
        applications.remove(name).await?;
    }
    if has_table {
        tables.delete_table(&table).await?;
    }
    application_table::make(tables, &table, &id).await?;
    applications.initialize(name, application).await
}

/// Checks whether an application must be removed first, and may be.
async fn is_clear_to_begin(
    applications: &dyn Applications,
    name: &str,
    clear: bool,
) -> Result<bool> {
    if !applications.list().await?.iter().any(|found| found == name) {
        return Ok(false);
    }
    if !clear {
        return Err(application_exists(name));
    }
    if applications.is_running(name).await? {
        return Err(still_running(name));
    }
    Ok(true)
}

/// Rejects the removal of an application whose table would be left behind.
async fn check_same_table(
    tables: &dyn TableAdmin,
    applications: &dyn Applications,
    name: &str,
    table: &str,
) -> Result<()> {
    let old = read(applications, name).await?.table;
    if old == table || !tables.table_exists(&old).await? {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "the application `{name}` has the table `{old}`, which would be left behind if `{name}` were created with \
             `{table}`; choose `{old}`, or remove the application and its table first"
        ),
    ))
}

/// Rejects a table that belongs to another application: each would report the rows of the other one
/// as damage.
async fn check_owner(applications: &dyn Applications, name: &str, table: &str) -> Result<()> {
    let owners = applications_of(applications, table).await?;
    match owners.iter().find(|owner| *owner != name) {
        Some(other) => Err(table_in_use(name, table, other)),
        None => Ok(()),
    }
}

/// Returns the stored application, or `None` if it does not exist.
///
/// # Errors
///
/// Those of [`Applications::open`] and of
/// [`Coordination::application`](fluo_table::coordination::Coordination::application), apart from
/// [`NotFound`](ErrorKind::NotFound).
pub async fn stored(applications: &dyn Applications, name: &str) -> Result<Option<Application>> {
    match read(applications, name).await {
        Ok(application) => Ok(Some(application)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the applications that have this table, sorted. There is at most one (C10 of
/// [`Applications`]), unless another client created several.
///
/// # Errors
///
/// Those of [`Applications::list`] and of [`stored`]. An application that is removed meanwhile is
/// left out.
pub async fn applications_of(applications: &dyn Applications, table: &str) -> Result<Vec<String>> {
    let mut owners = Vec::new();
    for name in applications.list().await? {
        let stored = stored(applications, &name).await?;
        if stored.is_some_and(|stored| stored.table == table) {
            owners.push(name);
        }
    }
    Ok(owners)
}

async fn read(applications: &dyn Applications, name: &str) -> Result<Application> {
    applications.open(name).await?.application().await
}

fn table_is_there(name: &str, table: &str) -> Error {
    Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "the table `{table}` exists and belongs to no application; an interrupted creation or removal may have left it; \
             replace it with `clear`, or choose another table for `{name}`"
        ),
    )
}

/// Returns the state of an application.
///
/// # Errors
///
/// Those of [`Applications::is_running`], apart from `NotFound`.
pub async fn status(applications: &dyn Applications, name: &str) -> Result<Status> {
    match applications.is_running(name).await {
        Ok(true) => Ok(Status::Running),
        Ok(false) => Ok(Status::Stopped),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Status::NotFound),
        Err(error) => Err(error),
    }
}

/// Removes an application, then deletes its table. An interruption leaves at worst a table without
/// an application.
///
/// # Errors
///
/// - [`NotFound`](ErrorKind::NotFound): the application does not exist.
/// - [`Unavailable`](ErrorKind::Unavailable): the application is running, or another caller is
///   creating or removing it. Nothing was changed.
/// - The errors of the ports. A table that is left then can be replaced by
///   [`Initialization::clear`].
pub async fn remove(
    tables: &dyn TableAdmin,
    applications: &dyn Applications,
    name: &str,
) -> Result<()> {
    let (table, _claim) = claim_existing(applications, name).await?;
    applications.remove(name).await?;
    match tables.delete_table(&table).await {
        // Another caller has deleted it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

/// Maximum number of claims of an application that gets another table before each claim.
const MOST_CLAIMS: u32 = 8;

/// Claims an application that exists, and its table.
async fn claim_existing(
    applications: &dyn Applications,
    name: &str,
) -> Result<(String, Box<dyn HeldLock>)> {
    let mut found = read(applications, name).await?.table;
    for _ in 0..MOST_CLAIMS {
        let claim = applications.lock_setup(name, &found).await?;
        // Another caller may have created it again, with another table, before it was claimed.
        let claimed = read(applications, name).await?.table;
        if claimed == found {
            return Ok((found, claim));
        }
        found = claimed;
    }
    Err(Error::new(
        ErrorKind::Unavailable,
        format!(
            "the application `{name}` had another table after each of {MOST_CLAIMS} claims, because another process keeps \
             creating it; wait until that process has ended, and check the result"
        ),
    ))
}
