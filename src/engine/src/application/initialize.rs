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

use fluo_table::coordination::{Application, Applications};
use fluo_table::{Error, ErrorKind, Instance, Result, TableAdmin, TableAdminExt};

use crate::application::status::{applications_of, read};
use crate::client::application_table;

/// Creates an application and its table. With `clear`, removes an application and deletes a table
/// of these names first. Checks everything before it changes anything.
pub(super) async fn initialize(
    instance: &Instance,
    name: &str,
    application: Application,
    clear: bool,
) -> Result<()> {
    let (tables, applications) = (&**instance.table_admin(), &**instance.applications());
    tables.check_transactions().await?;
    let (id, table) = (application.id.clone(), application.table.clone());
    let _claim = applications.lock_setup(name, &table).await?;
    let is_there = applications.list().await?.iter().any(|found| found == name);
    if is_there {
        if !clear {
            return Err(Error::application_exists(name));
        }
        check_replaceable(tables, applications, name, &table).await?;
    }
    check_owner(applications, name, &table).await?;
    let has_table = tables.table_exists(&table).await?;
    if has_table && !clear {
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
    let owners = applications_of(applications, table).await?;
    match owners.iter().find(|owner| *owner != name) {
        Some(other) => Err(Error::table_in_use(name, table, other)),
        None => Ok(()),
    }
}

fn table_is_there(name: &str, table: &str) -> Error {
    Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "table `{table}` exists without an application; replace it with `clear`, or choose another table for `{name}`"
        ),
    )
}
