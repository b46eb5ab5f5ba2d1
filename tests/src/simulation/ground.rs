//! The application of a run: its names, its columns, its table.

use fluo_core::coordination::{ObservedColumn, ObserverKind};
use fluo_core::table::property;
use fluo_core::{Column, MemoryTables, Result, TableAdmin, Timestamp};

pub(super) const TABLE: &str = "simulated";
pub(super) const APPLICATION: &str = "simulated";

/// Where numbers stand: balances, counts.
pub(super) fn number() -> Column {
    Column::new("f", "number")
}

/// Where lists of numbers stand.
pub(super) fn list() -> Column {
    Column::new("f", "list")
}

/// Where documents stand; a strong observer is told of each.
pub(super) fn document() -> Column {
    Column::new("f", "document")
}

/// What is notified by wish, for a weak observer. Nothing stands there.
pub(super) fn wish() -> Column {
    Column::new("f", "wish")
}

/// Where copies of documents stand.
pub(super) fn copied() -> Column {
    Column::new("f", "copied")
}

pub(super) fn observed() -> Vec<ObservedColumn> {
    vec![
        ObservedColumn::new(document(), ObserverKind::Strong, "sum"),
        ObservedColumn::new(wish(), ObserverKind::Weak, "copy"),
    ]
}

/// Makes compactions of the table collect garbage.
pub(super) async fn collect_garbage(tables: &MemoryTables) -> Result<()> {
    for (name, value) in [
        (
            property::GARBAGE,
            "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator",
        ),
        (
            property::NOTIFICATION_GARBAGE,
            "11,org.apache.fluo.accumulo.iterators.NotificationIterator",
        ),
    ] {
        tables.set_property(TABLE, name, value).await?;
    }
    Ok(())
}

/// Says up to where garbage may be collected.
pub(super) async fn set_horizon(tables: &MemoryTables, horizon: Timestamp) -> Result<()> {
    tables
        .set_property(TABLE, property::GARBAGE_HORIZON, &horizon.to_string())
        .await
}
