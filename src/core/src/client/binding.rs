//! The binding of a table to the coordination of its application.

use tracing::warn;

use crate::client::application_table::{self, APPLICATION, EPOCH};
use crate::coordination::{Application, Coordination};
use crate::error::{Error, ErrorKind, Result};
use crate::table::TableAdmin;

/// Checks that a table and the coordination of its application belong together, and binds this opening of the coordination
/// to the table. [`Client::open_application`](crate::Client::open_application) does it; call it before
/// [`Client::open`](crate::Client::open).
///
/// A user who may not change properties is let in after the comparison; then only openings by other users are noticed.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) if the table is that of another application, or was opened with another copy of the
/// coordination since. The errors of [`TableAdmin::properties`], of [`TableAdmin::set_property`] and of the coordination.
pub async fn bind(tables: &dyn TableAdmin, coordination: &dyn Coordination) -> Result<()> {
    let application = coordination.application().await?;
    let bound = bind_application(tables, coordination, &application).await;
    match bound {
        Err(error) if error.kind() == ErrorKind::Denied => {
            warn!(%error, table = application.table, "the table cannot be bound to its coordination");
            Ok(())
        }
        bound => bound,
    }
}

async fn bind_application(
    tables: &dyn TableAdmin,
    coordination: &dyn Coordination,
    application: &Application,
) -> Result<()> {
    let table = &application.table;
    let properties = tables.properties(table).await?;
    let id = properties.get(APPLICATION);
    if id.is_some_and(|id| *id != application.id) {
        return Err(of_another(application));
    }
    let found = properties.get(EPOCH).map(String::as_str);
    let epoch = coordination.begin_epoch(found).await?;
    application_table::detach_iterators(tables, table, &properties).await?;
    if id.is_none() {
        tables
            .set_property(table, APPLICATION, &application.id)
            .await?;
    }
    if found != Some(epoch.as_str()) {
        tables.set_property(table, EPOCH, &epoch).await?;
    }
    Ok(())
}

fn of_another(application: &Application) -> Error {
    let Application { id, table, .. } = application;
    Error::invalid(format!(
        "the table `{table}` is not the one of the application with the id `{id}`: it was made for another application, or \
         for this one before it was initialised anew; open it with the coordination that it was initialised with"
    ))
}
