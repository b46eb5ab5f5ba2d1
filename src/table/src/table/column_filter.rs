//! The state of a scan's filter in one column.

use crate::layout::{
    NotificationsFilter, PrewriteFilter, ReadLocksFilter, SeekHint, SnapshotFilter, StatusFilter,
};
use crate::table::Filter;

/// A filter of transactions, with its state in the current column.
#[derive(Clone, Debug)]
pub(super) enum ColumnFilter {
    Snapshot(SnapshotFilter),
    Prewrite(PrewriteFilter),
    Status(StatusFilter),
    ReadLocks(ReadLocksFilter),
    Notifications(NotificationsFilter),
}

impl ColumnFilter {
    /// Creates the filter at the beginning of a column, or returns `None` if it is not a filter of
    /// transactions.
    pub(super) fn new(filter: Filter) -> Option<Self> {
        match filter {
            Filter::None | Filter::FirstOfRow => None,
            Filter::Snapshot { at } => Some(Self::Snapshot(SnapshotFilter::new(at))),
            Filter::Prewrite(prewrite) => Some(Self::Prewrite(PrewriteFilter::new(prewrite))),
            Filter::TransactionStatus { start } => Some(Self::Status(StatusFilter::new(start))),
            Filter::OpenReadLocks => Some(Self::ReadLocks(ReadLocksFilter::new())),
            Filter::Notifications { .. } | Filter::UnpartitionedNotifications => {
                Some(Self::Notifications(NotificationsFilter::new()))
            }
        }
    }

    /// Returns the position in the column of the next entry that the filter needs.
    pub(super) fn looks_next(&self) -> SeekHint {
        match self {
            Self::Snapshot(filter) => filter.looks_next(),
            Self::Prewrite(filter) => filter.looks_next(),
            Self::Status(filter) => filter.looks_next(),
            Self::ReadLocks(filter) => filter.looks_next(),
            Self::Notifications(filter) => filter.looks_next(),
        }
    }

    /// Checks whether the filter shows the next entry of the column.
    pub(super) fn shows(&mut self, stamp: i64, value: &[u8]) -> bool {
        match self {
            Self::Snapshot(filter) => filter.shows(stamp, value),
            Self::Prewrite(filter) => filter.shows(stamp, value),
            Self::Status(filter) => filter.shows(stamp, value),
            Self::ReadLocks(filter) => filter.shows(stamp),
            Self::Notifications(filter) => filter.shows(stamp),
        }
    }
}
