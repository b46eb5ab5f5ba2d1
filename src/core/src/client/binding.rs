//! The binding of a table to the coordination of its application.

use std::collections::BTreeMap;

use tracing::warn;

use crate::client::application_table::{self, APPLICATION, EPOCH};
use crate::coordination::{Application, Coordination};
use crate::error::{Error, ErrorKind, Result};
use crate::table::TableAdmin;

/// Checks that a table and the coordination of its application belong together, and binds this opening of the coordination
/// to the table. [`Client::open_application`](crate::Client::open_application) does it; call it before
/// [`Client::open`](crate::Client::open).
///
/// A user who may read properties and not change them is let in after the comparison, with a warning; only openings by
/// other users are noticed then. A user who may not read them either, as without `ALTER_TABLE` on Accumulo 2.1, is let in
/// without a comparison.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) if the table is that of another application, or was opened with another copy of the
/// coordination since. The errors of [`TableAdmin::properties`], of [`TableAdmin::set_property`] and of the coordination.
pub async fn bind(tables: &dyn TableAdmin, coordination: &dyn Coordination) -> Result<()> {
    let application = coordination.application().await?;
    let table = &application.table;
    let properties = match tables.properties(table).await {
        Err(error) if error.kind() == ErrorKind::Denied => {
            warn!(%error, table, "the table was not compared with its coordination");
            return Ok(());
        }
        properties => properties?,
    };
    let id = properties.get(APPLICATION);
    if id.is_some_and(|id| *id != application.id) {
        return Err(of_another(&application));
    }
    let found = properties.get(EPOCH).map(String::as_str);
    let epoch = coordination.begin_epoch(found).await?;
    let mut changes = Vec::new();
    if found != Some(epoch.as_str()) {
        changes.push((EPOCH, epoch.as_str()));
    }
    if id.is_none() {
        changes.push((APPLICATION, &application.id));
    }
    match write(tables, table, &properties, &changes).await {
        Err(error) if error.kind() == ErrorKind::Denied => {
            warn!(%error, table, "the table cannot be bound to its coordination");
            Ok(())
        }
        written => written,
    }
}

async fn write(
    tables: &dyn TableAdmin,
    table: &str,
    properties: &BTreeMap<String, String>,
    changes: &[(&str, &str)],
) -> Result<()> {
    for (property, value) in changes {
        tables.set_property(table, property, value).await?;
    }
    application_table::detach_iterators(tables, table, properties).await
}

fn of_another(application: &Application) -> Error {
    let Application { id, table, .. } = application;
    Error::invalid(format!(
        "table `{table}` belongs to another application than the one with the id `{id}`, or to an earlier initialisation of \
         it; open it with the coordination that it was initialised with"
    ))
}
