//! The life of an application: its table and what its processes share, made and removed together.
//!
//! The two are in two places, and no step changes both. So an application is recorded last and removed first: whatever
//! is interrupted leaves a table without an application at worst, which says so when it is met, and which
//! [`Initialization::clear_table`] replaces. Two who make or remove one application, or one table, at once do not: one of
//! them is [refused](Applications::claim).
//!
//! Whoever stops waiting, after a timeout for example, gives the claim back at once, and the call that was under way may
//! still take effect: the table made or deleted, the application recorded or removed, each whole or not at all. So may the
//! last call of one whose session ends meanwhile, and what it calls after that (C13 of [`Applications`]). Look at the
//! [`status`] before you go on. Two applications never have one table: the second one is refused when it is recorded,
//! at the latest. It may have replaced the table by then, so do not let others work with an application whose
//! initialisation was given up, until it was initialised anew.
//!
//! ```
//! use fluo_core::coordination::{Applications, MemoryApplications, ObservedColumn, ObserverKind};
//! use fluo_core::admin::{self, Initialization, Status};
//! use fluo_core::{Column, MemoryTables};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
//! let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
//! let links = ObservedColumn::new(Column::new("page", "links"), ObserverKind::Strong, "count");
//! // The id is random text that tells this application from one of the same name before it.
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

use crate::client::application_table;
use crate::coordination::{
    Application, Applications, ObservedColumn, SetupClaim, check_application_name,
    initialized_already, still_running, table_of_another,
};
use crate::error::{Error, ErrorKind, Result};
use crate::observer::check_named;
use crate::table::{TableAdmin, TableAdminExt};

pub use crate::client::application_table::is_set_up;
pub use crate::client::binding::bind;

/// How an application is initialised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initialization {
    /// Random text, of a UUID as a rule, that tells the application from one of the same name before it.
    pub id: String,
    /// The table, which is made for it.
    pub table: String,
    /// The columns that are observed.
    pub observers: Vec<ObservedColumn>,
    /// Settings by name.
    pub settings: BTreeMap<String, String>,
    /// Whether a table of this name is deleted first, with all that is in it. Otherwise it is an error.
    pub clear_table: bool,
    /// Whether an application of this name is removed first. Otherwise it is an error. Its table has to be
    /// [`table`](Self::table), or gone: an application that had another one would leave that behind, with rows that nobody
    /// may read any more, and whoever clears `web` on one table has not asked for another one to be deleted.
    pub clear_application: bool,
}

impl Initialization {
    /// Nothing is observed, set or cleared.
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

    /// The same with one more observed column.
    #[must_use]
    pub fn observe(mut self, observed: ObservedColumn) -> Self {
        self.observers.push(observed);
        self
    }

    /// The same with a setting.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// The same where a table and an application of these names are deleted first.
    #[must_use]
    pub fn clear(mut self) -> Self {
        (self.clear_table, self.clear_application) = (true, true);
        self
    }

    /// Checks all that can be checked before anything is looked at; [`initialize`] does it too.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid): a name, an observed column or a setting.
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

/// How an application is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// There is none of this name.
    NotFound,
    /// It is initialised, and has neither transactors nor workers.
    Stopped,
    /// It has transactors or workers.
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

/// Makes an application and its table.
///
/// Both are claimed as long as it goes on. Everything is checked before anything is done. Then, in this order: an
/// application of this name is removed, a table of this name is deleted, where that is asked for; the table is made,
/// keeping all versions, and set up; the application is recorded. Interrupted, it leaves a table without an application:
/// call it again and let it clear the table.
///
/// # Errors
/// - [`Invalid`](ErrorKind::Invalid): a name, an observed column or a setting, or the servers lack what
///   [transactions need](TableAdmin::check_transactions); nothing was done.
/// - [`AlreadyExists`](ErrorKind::AlreadyExists): the application or the table is there and is not to be cleared, the
///   table is another application's, or the application has another table; nothing was done.
/// - [`Unavailable`](ErrorKind::Unavailable): the application is running, or it or the table is being made or removed by
///   somebody else; nothing was done.
/// - Otherwise those of the calls on the way: what was done before stays.
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
    let _claim = applications.claim(name, &table).await?;
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

/// Whether there is an application that has to go first.
async fn is_clear_to_begin(
    applications: &dyn Applications,
    name: &str,
    clear: bool,
) -> Result<bool> {
    if !applications.list().await?.iter().any(|found| found == name) {
        return Ok(false);
    }
    if !clear {
        return Err(initialized_already(name));
    }
    if applications.is_running(name).await? {
        return Err(still_running(name));
    }
    Ok(true)
}

/// Refuses to remove an application whose table would be left behind.
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
            "the application `{name}` has the table `{old}`, which would be left behind if it were initialised with \
             `{table}`; name `{old}` again, or remove the application with its table first (`fluo app remove`, or \
             `admin::remove` in a program)"
        ),
    ))
}

/// Refuses a table that another application has: two in one table would take each other's rows for damage.
async fn check_owner(applications: &dyn Applications, name: &str, table: &str) -> Result<()> {
    let owners = applications_of(applications, table).await?;
    match owners.iter().find(|owner| *owner != name) {
        Some(other) => Err(table_of_another(name, table, other)),
        None => Ok(()),
    }
}

/// What is stored of an application; none where there is no such one.
///
/// # Errors
/// Those of [`open`](Applications::open) and of reading it, apart from [`NotFound`](ErrorKind::NotFound).
pub async fn stored(applications: &dyn Applications, name: &str) -> Result<Option<Application>> {
    match read(applications, name).await {
        Ok(application) => Ok(Some(application)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The applications whose table this is, sorted: none, or one (C10 of [`Applications`]), unless another client has made
/// several.
///
/// # Errors
/// Those of listing and of reading them. One that is removed meanwhile is none.
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
            "there is a table `{table}` already, and it is no application's; it may be left from an initialisation or a \
             removal that was interrupted: clear it (`fluo app init --clear`, or `Initialization::clear` in a program), or \
             name another table for `{name}`"
        ),
    )
}

/// How an application is.
///
/// # Errors
/// Those of [`Applications::is_running`], apart from `NotFound`.
pub async fn status(applications: &dyn Applications, name: &str) -> Result<Status> {
    match applications.is_running(name).await {
        Ok(true) => Ok(Status::Running),
        Ok(false) => Ok(Status::Stopped),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Status::NotFound),
        Err(error) => Err(error),
    }
}

/// Removes an application and deletes its table, in this order: interrupted, it leaves a table without an application.
///
/// # Errors
/// [`NotFound`](ErrorKind::NotFound), [`Unavailable`](ErrorKind::Unavailable) while it is running, or is being made or
/// removed by somebody else, again and again even: nothing was done. Otherwise those of the calls on the way; the table
/// that is left then is replaced by [`Initialization::clear`].
pub async fn remove(
    tables: &dyn TableAdmin,
    applications: &dyn Applications,
    name: &str,
) -> Result<()> {
    let (table, _claim) = claim_existing(applications, name).await?;
    applications.remove(name).await?;
    match tables.delete_table(&table).await {
        // Somebody deleted it before.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

/// How often an application is claimed that is made anew, with another table, each time before it is.
const MOST_CLAIMS: u32 = 8;

/// Claims an application that exists, and its table.
async fn claim_existing(
    applications: &dyn Applications,
    name: &str,
) -> Result<(String, Box<dyn SetupClaim>)> {
    let mut found = read(applications, name).await?.table;
    for _ in 0..MOST_CLAIMS {
        let claim = applications.claim(name, &found).await?;
        // It may have been made anew, with another table, before it was claimed.
        let claimed = read(applications, name).await?.table;
        if claimed == found {
            return Ok((found, claim));
        }
        found = claimed;
    }
    Err(Error::new(
        ErrorKind::Unavailable,
        format!(
            "the application `{name}` had another table each of the {MOST_CLAIMS} times that it was claimed: somebody else \
             keeps making it anew; wait until that has ended, and look at what is there then"
        ),
    ))
}

/// Checks that the observers of a program are those of the application: each stored column has one, and there is no
/// other. The name of an observer is compared where a name is stored.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid): what is missing on each side.
pub fn check_observers(stored: &[ObservedColumn], registered: &[ObservedColumn]) -> Result<()> {
    let is_same = |stored: &ObservedColumn, registered: &ObservedColumn| {
        stored.column == registered.column
            && stored.kind == registered.kind
            && (stored.id.is_empty() || stored.id == registered.id)
    };
    let missing = names(
        stored
            .iter()
            .filter(|stored| !registered.iter().any(|other| is_same(stored, other))),
    );
    let unknown = names(
        registered
            .iter()
            .filter(|registered| !stored.iter().any(|other| is_same(other, registered))),
    );
    if missing.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    let told = |what: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let missing = told("this program has no observer for", missing);
    let unknown = told("the application does not observe", unknown);
    let sentences: Vec<_> = missing.into_iter().chain(unknown).collect();
    Err(Error::invalid(format!(
        "the observers are not those of the application: {}; register those that it was initialised with, or \
         initialise it with these",
        sentences.join("; ")
    )))
}

/// How observed columns are told, at most so many one by one.
fn names<'a>(observed: impl Iterator<Item = &'a ObservedColumn>) -> Vec<String> {
    const MOST_TOLD: usize = 10;
    let mut names: Vec<_> = observed.map(ToString::to_string).collect();
    if names.len() > MOST_TOLD {
        let more = names.len() - MOST_TOLD;
        names.truncate(MOST_TOLD);
        names.push(format!("and {more} more"));
    }
    names
}
