//! Expected results: the functions of the layout, applied to each column.

use std::num::NonZeroU32;

use fluo_table::layout::{ColumnFilter, Partition, Prewrite, is_unpartitioned};
use fluo_table::{Cell, Filter, Key, RowColumn, Timestamp};

use super::cells::Cells;
use super::entry::Entry;

/// Returns the expected result of a scan of the whole table through a filter, for a reader without
/// authorizations.
pub(super) fn scanned(cells: &Cells, filter: Filter) -> Vec<Cell> {
    let columns = cells.columns().filter(|(place, _)| place.column.visibility.is_empty());
    let shown = columns.flat_map(|(place, entries)| of_column(place, entries, filter));
    let mut shown: Vec<Cell> = shown.collect();
    shown.sort();
    shown
}

/// Returns the cells of a column that a filter should show.
pub(super) fn of_column(place: &RowColumn, entries: &[Entry], filter: Filter) -> Vec<Cell> {
    let qualifier = &place.column.qualifier;
    let is_owned = match filter {
        Filter::Notifications { share } => {
            share.is_none_or(|it| it.contains(&place.row, qualifier))
        }
        Filter::UnpartitionedNotifications => is_unpartitioned(&place.row, qualifier),
        Filter::None | Filter::FirstOfRow => panic!("{filter:?} is not a filter of transactions"),
        _ => true,
    };
    let is_of_notifications =
        matches!(filter, Filter::Notifications { .. } | Filter::UnpartitionedNotifications);
    let looks_at = is_owned && (place.column.family == "ntfy") == is_of_notifications;
    let mut filter = ColumnFilter::new(filter);
    let shown = entries.iter().filter(|(stamp, value)| looks_at && filter.shows(*stamp, value));
    let key = |stamp| Key::new(place.row.clone(), place.column.clone(), stamp);
    shown.map(|(stamp, value)| Cell::new(key(*stamp), value.clone())).collect()
}

fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

/// Returns the filters of whole tables.
pub(super) fn filters_of_tables() -> Vec<Filter> {
    let snapshots = [0, 1, 3, 6, 9, 13, Timestamp::MAX.get()];
    let snapshots = snapshots.map(|timestamp| Filter::Snapshot { at: at(timestamp) });
    let shares = (0..3).map(|part| Partition::new(NonZeroU32::new(3).unwrap(), part).unwrap());
    let shares = [None].into_iter().chain(shares.map(Some));
    let notifications = shares.map(|share| Filter::Notifications { share });
    let filters = snapshots.into_iter().chain(notifications);
    let others = [Filter::UnpartitionedNotifications, Filter::OpenReadLocks];
    filters.chain(others).collect()
}

/// Returns the filters of one column.
pub(super) fn filters_of_columns() -> Vec<Filter> {
    let mut filters = Vec::new();
    for start in [0, 4, 8, 13].map(at) {
        filters.push(Filter::TransactionStatus { start });
        for is_read_lock in [false, true] {
            for acknowledged_after in [None, Some(at(5))] {
                filters.push(Filter::Prewrite(Prewrite {
                    start,
                    is_read_lock,
                    acknowledged_after,
                }));
            }
        }
    }
    filters
}
