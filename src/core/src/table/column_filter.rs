//! The filter of a scan, at one column.

use crate::layout::{
    LooksNext, NotificationsFilter, PrewriteFilter, ReadLocksFilter, SnapshotFilter, StatusFilter,
};
use crate::table::Filter;

/// A filter of transactions, as far as it has come in a column.
#[derive(Clone, Debug)]
pub(super) enum ColumnFilter {
    Snapshot(SnapshotFilter),
    Prewrite(PrewriteFilter),
    Status(StatusFilter),
    ReadLocks(ReadLocksFilter),
    Notifications(NotificationsFilter),
}

impl ColumnFilter {
    /// At the beginning of a column; none if the filter is not of transactions.
    pub(super) fn new(filter: Filter) -> Option<Self> {
        match filter {
            Filter::None | Filter::FirstOfRow => None,
            Filter::Snapshot { at } => Some(Self::Snapshot(SnapshotFilter::new(at))),
            Filter::Prewrite(prewrite) => Some(Self::Prewrite(PrewriteFilter::new(prewrite))),
            Filter::TransactionStatus { start } => Some(Self::Status(StatusFilter::new(start))),
            Filter::OpenReadLocks => Some(Self::ReadLocks(ReadLocksFilter::new())),
            Filter::Notifications { .. } => Some(Self::Notifications(NotificationsFilter::new())),
        }
    }

    /// Where in the column it looks next.
    pub(super) fn looks_next(&self) -> LooksNext {
        match self {
            Self::Snapshot(filter) => filter.looks_next(),
            Self::Prewrite(filter) => filter.looks_next(),
            Self::Status(filter) => filter.looks_next(),
            Self::ReadLocks(filter) => filter.looks_next(),
            Self::Notifications(filter) => filter.looks_next(),
        }
    }

    /// Whether the next entry of the column is shown.
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
