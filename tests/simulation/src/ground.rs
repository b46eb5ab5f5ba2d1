//! The application of a run: its names, its columns, its table.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_engine::InstanceExt;
use fluo_table::coordination::{Applications, ObservedColumn, ObserverKind};
use fluo_table::{Column, Instance, MemoryTables, Result, TableAdmin};

use super::queues::Queues;

pub(super) const TABLE: &str = "simulated";
pub(super) const APPLICATION: &str = "simulated";

/// Returns the column of numbers: balances and counts.
pub(super) fn number() -> Column {
    Column::new("f", "number")
}

/// Returns the column of lists of numbers.
pub(super) fn list() -> Column {
    Column::new("f", "list")
}

/// Returns the column of documents, which a strong observer watches.
pub(super) fn document() -> Column {
    Column::new("f", "document")
}

/// Returns the column whose weak observer is notified on request. It has no values.
pub(super) fn wish() -> Column {
    Column::new("f", "wish")
}

/// Returns the column of copies of documents.
pub(super) fn copied() -> Column {
    Column::new("f", "copied")
}

/// Initializes the application, and returns the properties of the table that was made for it.
pub(super) async fn initialized(
    applications: Arc<dyn Applications>,
    queues: Option<&Queues>,
) -> Result<BTreeMap<String, String>> {
    let id = "7b5e9a39-0d52-4f1e-8e52-6d6f0cf3c7c1";
    let fluo = Instance::new(Arc::new(MemoryTables::new()), applications);
    let fluo = fluo.with_ids(|| id.to_owned());
    let mut application = fluo.application(APPLICATION).table(TABLE).observed_columns([
        ObservedColumn::new(document(), ObserverKind::Strong, "sum"),
        ObservedColumn::new(wish(), ObserverKind::Weak, "copy"),
    ]);
    if let Some(queues) = queues {
        application = application.observed_columns(queues.observed_columns()?);
    }
    application.initialize().await?;
    fluo.properties(TABLE).await
}

/// The iterators of a table that the Java client made: in every compaction.
pub(super) fn javas_properties() -> BTreeMap<String, String> {
    let of = |scope, name, class| {
        let class = format!("10,org.apache.fluo.accumulo.iterators.{class}");
        (format!("table.iterator.{scope}.{name}"), class)
    };
    ["minc", "majc"]
        .into_iter()
        .flat_map(|scope| {
            [
                of(scope, "gc", "GarbageCollectionIterator"),
                of(scope, "ntfy", "NotificationIterator"),
            ]
        })
        .collect()
}
