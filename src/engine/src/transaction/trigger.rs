//! The notification that a transaction of an observer processes.

use fluo_table::coordination::ObserverKind;
use fluo_table::{RowColumn, Timestamp};

/// The notification that started a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub(crate) cell: RowColumn,
    /// The timestamp of the notification.
    pub(crate) notified_at: Timestamp,
    pub(crate) kind: ObserverKind,
    /// `true` if a failure moves the notification to the dead letters.
    pub(crate) is_last_try: bool,
}

impl Trigger {
    /// Returns `true` for a strong observer, whose notification is acknowledged.
    pub(crate) fn is_strong(&self) -> bool {
        self.kind == ObserverKind::Strong
    }
}
