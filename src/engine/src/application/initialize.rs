//! The creation of an application and its table.
//!
//! The table and the shared state are in two places, and no step changes both. Therefore an
//! application is recorded last and removed first: an interruption leaves at worst a table without
//! an application, which [`clear`](crate::ApplicationHandle::clear) replaces. Of two callers that
//! create or remove one application, or one table, at the same time, one is
//! [refused](Applications::lock_setup).
//!
//! A caller that stops waiting, for example after a timeout, gives up its claim at once, but its
//! last call may still take effect: the table is created or deleted, the application is recorded or
//! removed, each wholly or not at all. The same holds for a caller whose session ends (C13 of
//! [`Applications`]). Two applications never have one table: the second one is refused at the
//! latest when it is recorded. It may have replaced the table by then.

use fluo_table::coordination::Applications;
use fluo_table::{Error, ErrorKind, Result, TableAdmin};

use crate::application::status::{applications_of, read};
use crate::application::{ApplicationHandle, application_table};

impl ApplicationHandle {
    /// Creates the application and its table, and opens nothing. Its id comes from the
    /// [generator](fluo_table::Instance::with_ids) of the instance.
    ///
    /// It claims both names until it returns, and checks everything before it changes anything. An
    /// interruption leaves at worst a table without an application, which a call with
    /// [`clear`](Self::clear) replaces.
    ///
    /// # Errors
    ///
    /// - Those of [`check`](Self::check), and [`Invalid`](ErrorKind::Invalid) if the servers lack a
    ///   part that [transactions need](fluo_table::TableAdmin::check_transactions). Nothing was
    ///   changed.
    /// - [`AlreadyExists`](ErrorKind::AlreadyExists) if the application or the table exists and
    ///   [`clear`](Self::clear) is not set, if the table belongs to another application, or if the
    ///   application has another table. Nothing was changed.
    /// - [`Unavailable`](ErrorKind::Unavailable) if the application is running, or if another
    ///   caller is creating or removing the application or the table. Nothing was changed.
    /// - The errors of the ports: earlier steps stay done.
    pub async fn initialize(&self) -> Result<()> {
        let application = self.new_application(self.instance.new_id())?;
        let tables = &**self.instance.table_admin();
        let (applications, name) = (&**self.instance.applications(), self.name.as_str());
        tables.check_transactions().await?;
        let (id, table) = (application.id.clone(), application.table.clone());
        let _claim = applications.lock_setup(name, &table).await?;
        let is_there = applications.list().await?.iter().any(|found| found == name);
        if is_there {
            if !self.clear {
                return Err(Error::application_exists(name));
            }
            check_replaceable(tables, applications, name, &table).await?;
        }
        check_owner(applications, name, &table).await?;
        let has_table = tables.table_exists(&table).await?;
        if has_table && !self.clear {
            return Err(Error::new(
                ErrorKind::AlreadyExists,
                format!(
                    "table `{table}` exists without an application; replace it with `clear`, or choose another table for `{name}`"
                ),
            ));
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
}

/// Rejects the removal of an application that is running, or whose table would be left behind.
async fn check_replaceable(
    tables: &dyn TableAdmin,
    applications: &dyn Applications,
    name: &str,
    table: &str,
) -> Result<()> {
    if applications.is_running(name).await? {
        return Err(Error::still_running(name));
    }
    let old = read(applications, name).await?.table;
    if old == table || !tables.table_exists(&old).await? {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "application `{name}` has table `{old}`, not `{table}`; use `{old}`, or remove the application first"
        ),
    ))
}

/// Rejects a table that belongs to another application: each would report the rows of the other one
/// as damage.
async fn check_owner(applications: &dyn Applications, name: &str, table: &str) -> Result<()> {
    match applications_of(applications, table).await?.iter().find(|owner| *owner != name) {
        Some(other) => Err(Error::table_in_use(name, table, other)),
        None => Ok(()),
    }
}
