//! The application of a run: its names, its columns, its table.

use fluo_core::Column;
use fluo_core::coordination::{ObservedColumn, ObserverKind};

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
