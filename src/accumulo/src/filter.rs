//! Filters as iterators on the servers, and the steps that the iterators leave to the client.
//!
//! The filters of transactions are Fluo's iterators. They were written for Fluo's own scans, so
//! this module handles three differences:
//!
//! - An iterator reads only the entries of a column that it receives. So a scan that begins inside
//!   a column begins at the first entry of the column, and the entries before the span are dropped.
//! - A filter of one column reads the first column of its scan, and starts again if the scan is
//!   resumed. So the scan asks for that column only, and takes one entry.
//! - An iterator ignores the columns of notifications only if a scan selects no column, or never.
//!   So the columns of a scan are restricted to those that its filter reads.

use accumulo_proxy::IteratorSetting;
use fluo_table::layout::{NOTIFICATION_FAMILY, Prewrite};
use fluo_table::{ColumnSelector, Error, Filter, Garbage, Key, Result, Scan, Span, Timestamp};

/// After the iterators of a table: its versioning has priority 20.
const FIRST_OF_ROW_PRIORITY: i32 = 1_000;
const FIRST_OF_ROW: &str = "org.apache.accumulo.core.iterators.FirstEntryInRowIterator";

/// The priorities that Fluo's own clients use: before the versioning of a table.
const COLUMN_PRIORITY: i32 = 10;
const NOTIFICATION_PRIORITY: i32 = 11;
const SHARE_PRIORITY: i32 = 30;
/// Fluo's filter compares `abs(hash) % divisor` with the remainder, in Java's arithmetic. Only for
/// the lowest number, which has no absolute value, this is negative: -2 if the divisor is 3.
const UNPARTITIONED: (&str, &str) = ("3", "-2");
const FLUO: &str = "org.apache.fluo.accumulo.iterators";
const TIMESTAMP: &str = "timestampOpt";

/// Priorities that neither Fluo's Java client nor Accumulo uses for the iterators of a table.
const CELLS_PRIORITY: i32 = 12;
const NOTIFICATIONS_PRIORITY: i32 = 13;

/// Checks whether a filter needs Fluo's iterators; the other filters need only those of Accumulo.
pub(crate) fn needs_fluo(filter: Filter) -> bool {
    !matches!(filter, Filter::None | Filter::FirstOfRow)
}

pub(crate) fn iterators(filter: Filter) -> Result<Vec<IteratorSetting>> {
    let at = |class, timestamp: Timestamp| {
        vec![fluo(COLUMN_PRIORITY, class).option(TIMESTAMP, timestamp.to_string())]
    };
    Ok(match filter {
        Filter::None => Vec::new(),
        Filter::FirstOfRow => {
            vec![IteratorSetting::new(FIRST_OF_ROW_PRIORITY, "firstOfRow", FIRST_OF_ROW)]
        }
        Filter::Snapshot { at: timestamp } => at("SnapshotIterator", timestamp),
        Filter::Prewrite(prewrite) => vec![of_prewrite(prewrite)],
        Filter::TransactionStatus { start } => at("RollbackCheckIterator", start),
        Filter::OpenReadLocks => vec![fluo(COLUMN_PRIORITY, "OpenReadLockIterator")],
        Filter::Notifications { share } => {
            let share = share
                .map(|share| of_hash(&share.divisor().to_string(), &share.remainder().to_string()));
            [newest_notifications()].into_iter().chain(share).collect()
        }
        Filter::UnpartitionedNotifications => {
            let (divisor, remainder) = UNPARTITIONED;
            vec![newest_notifications(), of_hash(divisor, remainder)]
        }
        // A scan without the filter would silently return too many cells.
        other => {
            return Err(Error::invalid(format!(
                "there is no iterator on the servers for the filter {other:?}"
            )));
        }
    })
}

/// Returns the iterators of a compaction that collects garbage.
///
/// They belong to one compaction, never to a table. Iterators of a table also run in flushes and in
/// compactions of a few files, where these would drop the end of a committed lock while the lock
/// itself is in another file. Their names differ from those under which Fluo's Java client attaches
/// the same classes to its tables, because a server merges the options of iterators with the same
/// name.
pub(crate) fn collectors(garbage: Garbage) -> Vec<IteratorSetting> {
    match garbage {
        Garbage::Keep => Vec::new(),
        Garbage::DropBelow(horizon) => vec![
            named(CELLS_PRIORITY, "collectCells", "GarbageCollectionIterator")
                .option("timestamp.gc", horizon.to_string()),
            named(NOTIFICATIONS_PRIORITY, "collectNotifications", "NotificationIterator"),
        ],
    }
}

fn fluo(priority: i32, class: &str) -> IteratorSetting {
    named(priority, class, class)
}

fn named(priority: i32, name: &str, class: &str) -> IteratorSetting {
    IteratorSetting::new(priority, name, format!("{FLUO}.{class}"))
}

fn of_prewrite(prewrite: Prewrite) -> IteratorSetting {
    let mut setting =
        fluo(COLUMN_PRIORITY, "PrewriteIterator").option(TIMESTAMP, prewrite.start.to_string());
    if prewrite.is_read_lock {
        setting = setting.option("readLock", "true");
    }
    if let Some(notification) = prewrite.acknowledged_after {
        setting =
            setting.option("checkAckOpt", "true").option("ntfyTsOpt", notification.to_string());
    }
    setting
}

fn newest_notifications() -> IteratorSetting {
    fluo(NOTIFICATION_PRIORITY, "NotificationIterator")
}

fn of_hash(divisor: &str, remainder: &str) -> IteratorSetting {
    named(SHARE_PRIORITY, "nhf", "NotificationHashFilter")
        .option("divisor", divisor)
        .option("remainder", remainder)
}

/// Returns the span to request from the servers for a span of a scan.
pub(crate) fn asked_for(filter: Filter, span: &Span) -> Span {
    if !needs_fluo(filter) {
        return span.clone();
    }
    let start = span.start();
    let column = Span::cell(start.row.clone(), &start.column);
    let column_end = column.end().filter(|_| filter.is_of_one_column());
    let end = [span.end(), column_end].into_iter().flatten().min();
    Span::between(column.start().clone(), end.cloned())
}

/// Checks whether a span may be small, so that it can be read together with others: it lies in one
/// row, or in one column of a row if iterators of Fluo read it. At a snapshot it may have several
/// rows, such as the updates of a key of a queue. Iterators of Fluo start with a whole column.
pub(crate) fn is_small(filter: Filter, span: &Span) -> bool {
    let start = span.start();
    let column = Span::cell(start.row.clone(), &start.column);
    let whole = match filter {
        Filter::Snapshot { .. } => Span::all(),
        _ if needs_fluo(filter) => column.clone(),
        _ => Span::row(start.row.clone()),
    };
    let is_within = |end: &Key| whole.end().is_none_or(|whole| end <= whole);
    let starts_whole = !needs_fluo(filter) || start == column.start();
    starts_whole && span.end().is_some_and(is_within)
}

/// Returns the columns to request from the servers; an empty list selects all. `None` if there is
/// nothing to request.
pub(crate) fn columns(scan: &Scan) -> Option<Vec<ColumnSelector>> {
    let filter = scan.filter;
    let mut asked: Vec<ColumnSelector> = match (filter, &*scan.columns) {
        (Filter::Notifications { .. } | Filter::UnpartitionedNotifications, []) => {
            vec![ColumnSelector::family(NOTIFICATION_FAMILY)]
        }
        (_, columns) => columns.to_vec(),
    };
    let is_all = asked.is_empty();
    asked.retain(|column| filter.looks_at_family(&column.family));
    (is_all || !asked.is_empty()).then_some(asked)
}

/// Checks whether an entry of the servers belongs to the scan; `last` is the last entry that the
/// scan yielded.
pub(crate) fn is_shown(filter: Filter, span: &Span, last: &mut Option<Key>, key: &Key) -> bool {
    let is_new = last.as_ref().is_none_or(|last| !filter.is_of_one_column() && key > last);
    let is_shown = is_new && span.contains(key);
    if is_shown {
        *last = Some(key.clone());
    }
    is_shown
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use fluo_table::Column;
    use fluo_table::layout::Partition;

    use super::*;

    #[test]
    fn only_the_lowest_number_has_the_remainder_of_the_unpartitioned() {
        let (divisor, remainder) = UNPARTITIONED;
        let divisor: i32 = divisor.parse().unwrap();
        assert_eq!((i32::MIN % divisor).to_string(), remainder);
    }

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    /// Returns priority, class and options of each iterator.
    fn settings(filter: Filter) -> Vec<String> {
        let setting = |it: IteratorSetting| {
            let class = it.class.rsplit('.').next().unwrap().to_owned();
            assert_eq!(it.class, format!("org.apache.fluo.accumulo.iterators.{class}"));
            format!("{} {class} {:?}", it.priority, it.options)
        };
        iterators(filter).unwrap().into_iter().map(setting).collect()
    }

    #[test]
    fn filters_of_transactions_use_the_iterators_of_fluo_and_their_options() {
        assert_eq!(
            settings(Filter::Snapshot { at: at(7) }),
            [r#"10 SnapshotIterator {"timestampOpt": "7"}"#]
        );
        assert_eq!(
            settings(Filter::TransactionStatus { start: at(7) }),
            [r#"10 RollbackCheckIterator {"timestampOpt": "7"}"#]
        );
        assert_eq!(settings(Filter::OpenReadLocks), ["10 OpenReadLockIterator {}"]);
        let share = Partition::new(NonZeroU32::new(7).unwrap(), 3).ok();
        assert_eq!(
            settings(Filter::Notifications { share }),
            [
                "11 NotificationIterator {}",
                r#"30 NotificationHashFilter {"divisor": "7", "remainder": "3"}"#
            ]
        );
        assert_eq!(
            settings(Filter::UnpartitionedNotifications),
            [
                "11 NotificationIterator {}",
                r#"30 NotificationHashFilter {"divisor": "3", "remainder": "-2"}"#
            ]
        );
        let prewrite = Prewrite { start: at(7), is_read_lock: false, acknowledged_after: None };
        assert_eq!(
            settings(Filter::Prewrite(prewrite)),
            [r#"10 PrewriteIterator {"timestampOpt": "7"}"#]
        );
        let all = Prewrite { is_read_lock: true, acknowledged_after: Some(at(5)), ..prewrite };
        assert_eq!(
            settings(Filter::Prewrite(all)),
            [
                r#"10 PrewriteIterator {"checkAckOpt": "true", "ntfyTsOpt": "5", "readLock": "true", "timestampOpt": "7"}"#
            ]
        );
    }

    #[test]
    fn requests_a_column_from_its_first_entry() {
        let column = Column::new("f", "q");
        let key = |timestamp| Key::new("r", column.clone(), timestamp);
        let span = Span::between(key(5), None);
        let begun = Span::between(key(i64::MAX), None);
        assert_eq!(asked_for(Filter::None, &span), span);
        assert_eq!(asked_for(Filter::OpenReadLocks, &span), begun);
        let status = Filter::TransactionStatus { start: at(7) };
        assert_eq!(asked_for(status, &span), Span::cell("r", &column));
        let up_to = Span::between(key(5), Some(key(3)));
        let begun = Span::between(key(i64::MAX), Some(key(3)));
        assert_eq!(asked_for(status, &up_to), begun);
    }

    #[test]
    fn requests_only_columns_that_the_filter_reads() {
        let (cells, notifications) = (ColumnSelector::family("f"), ColumnSelector::family("ntfy"));
        let asked = |filter, families: &[&ColumnSelector]| {
            let scan = Scan::over(Span::all()).filter(filter);
            let families = families.iter().copied().cloned();
            columns(&families.fold(scan, Scan::column))
        };
        let all_notifications = Filter::Notifications { share: None };
        assert_eq!(asked(Filter::OpenReadLocks, &[]), Some(vec![]));
        assert_eq!(
            asked(Filter::OpenReadLocks, &[&cells, &notifications]),
            Some(vec![cells.clone()])
        );
        assert_eq!(asked(Filter::OpenReadLocks, &[&notifications]), None);
        assert_eq!(asked(all_notifications, &[]), Some(vec![notifications.clone()]));
        assert_eq!(asked(all_notifications, &[&cells]), None);
        assert_eq!(asked(Filter::None, &[&notifications]), Some(vec![notifications]));
    }

    #[test]
    fn gives_the_horizon_to_the_iterator_of_cells() {
        assert!(collectors(Garbage::Keep).is_empty());
        let garbage = collectors(Garbage::DropBelow(Timestamp::new(12).unwrap()));
        let settings: Vec<_> =
            garbage.iter().map(|it| (it.priority, it.class.as_str(), it.options.clone())).collect();
        let horizon = [("timestamp.gc".to_owned(), "12".to_owned())];
        assert_eq!(
            settings,
            [
                (
                    12,
                    "org.apache.fluo.accumulo.iterators.GarbageCollectionIterator",
                    horizon.into()
                ),
                (13, "org.apache.fluo.accumulo.iterators.NotificationIterator", Default::default()),
            ]
        );
    }
}
