//! The binding of a table to the coordination of its application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::coordination::{Application, Coordination, Epochs};
use fluo_table::{Error, ErrorKind, Result, TableAdmin, Versions};
use tokio::time::sleep;
use tracing::warn;

use crate::client::{detach_iterators, iterator_removals};

/// The property with the id of the application that a table belongs to.
pub(super) const APPLICATION: &str = "table.custom.fluo.application";

/// The time between two looks for a later epoch of another process.
const LOOK: Duration = Duration::from_secs(2);
/// Number of attempts to write the epoch while other processes write theirs.
const TRIES: u32 = 5;

/// Checks that a table and the coordination of its application belong together, and changes
/// nothing.
pub(super) async fn check(tables: &dyn TableAdmin, coordination: &dyn Coordination) -> Result<()> {
    let application = coordination.application().await?;
    let properties = tables.properties(&application.table).await?;
    compare(&application, &properties)?;
    coordination.check_epoch(properties.get(Epochs::PROPERTY).map(String::as_str)).await
}

/// Rejects the properties of the table of another application, and of one that drops versions.
fn compare(application: &Application, properties: &BTreeMap<String, String>) -> Result<()> {
    let Application { id, table, .. } = application;
    if properties.get(APPLICATION).is_some_and(|found| found != id) {
        return Err(Error::invalid(format!(
            "table `{table}` belongs to another application, not to `{id}`; open it with its own coordination"
        )));
    }
    check_keeps_versions(table, properties)
}

/// Checks that a table and the coordination of its application belong together, and records this
/// opening of the coordination in the table.
///
/// If the user may read properties but not change them, the function compares, logs a warning, and
/// returns `Ok`; this opening is then not recorded. If the user may not read properties either, as
/// without `ALTER_TABLE` on Accumulo 2.1, it logs a warning and compares nothing.
pub(super) async fn bind(tables: &dyn TableAdmin, coordination: &dyn Coordination) -> Result<()> {
    let application = coordination.application().await?;
    let table = &application.table;
    let properties = match tables.properties(table).await {
        Err(error) if error.kind() == ErrorKind::Denied => {
            warn!(%error, table, "the table was not compared with its coordination");
            return Ok(());
        }
        properties => properties?,
    };
    compare(&application, &properties)?;
    let found = properties.get(Epochs::PROPERTY).map(String::as_str);
    let epoch = coordination.begin_epoch(found).await?;
    let wanted = [(Epochs::PROPERTY, &epoch), (APPLICATION, &application.id)];
    let changes: Vec<_> = wanted
        .into_iter()
        .filter(|(property, value)| properties.get(*property) != Some(*value))
        .map(|(property, value)| (property, Some(value.as_str())))
        .chain(iterator_removals(&properties))
        .collect();
    let changed = tokio::select! {
        changed = tables.change_properties(table, &changes) => changed.map_err(|(_, error)| error),
        () = wait_for_later(tables, &application, &epoch) => Ok(()),
    };
    match changed {
        Err(error) if error.kind() == ErrorKind::Denied => {
            warn!(%error, table, "the table cannot be bound to its coordination");
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::Uncertain => {
            settle(tables, table, &epoch, error).await
        }
        changed => changed,
    }
}

/// Waits until the table has a later epoch, and everything else that binds it: many processes open
/// an application at the same time, and each of them waits to see what it has written. The own
/// write may arrive later, and set an earlier epoch of the same coordination, which is accepted.
async fn wait_for_later(tables: &dyn TableAdmin, application: &Application, epoch: &str) {
    loop {
        sleep(LOOK).await;
        // The write itself decides about errors.
        let Ok(properties) = tables.properties(&application.table).await else {
            continue;
        };
        let found = properties.get(Epochs::PROPERTY);
        if found.is_some_and(|found| Epochs::is_of_or_after(found, epoch))
            && properties.get(APPLICATION) == Some(&application.id)
            && iterator_removals(&properties).is_empty()
        {
            return;
        }
    }
}

/// Ends a write of the epoch whose effect was not seen, because another process opened the
/// application at the same time. Its epoch stays if its opening is the later one.
async fn settle(
    tables: &dyn TableAdmin,
    table: &str,
    epoch: &str,
    mut uncertain: Error,
) -> Result<()> {
    for _ in 0..TRIES {
        let properties = tables.properties(table).await?;
        let found = properties.get(Epochs::PROPERTY);
        if found.is_some_and(|found| Epochs::is_of_or_after(found, epoch)) {
            return detach_iterators(tables, table, &properties).await;
        }
        match tables.set_property(table, Epochs::PROPERTY, epoch).await {
            Err(error) if error.kind() == ErrorKind::Uncertain => uncertain = error,
            Err(error) => return Err(error),
            Ok(()) => {}
        }
    }
    Err(uncertain)
}

/// Rejects a table that drops versions of cells. Transactions need all of them: data, locks and
/// commits are cells of one row and column with different timestamps.
fn check_keeps_versions(table: &str, properties: &BTreeMap<String, String>) -> Result<()> {
    let limits = Versions::Latest(NonZeroU32::MIN).to_properties();
    let Some(limit) = limits.keys().find(|name| properties.contains_key(*name)) else {
        return Ok(());
    };
    Err(Error::invalid(format!(
        "table `{table}` drops versions that transactions need; remove its properties `table.iterator.*.vers*`, such as `{limit}`"
    )))
}
