//! Filters: the iterators on the servers that mean what a filter means, and what has to be done beside them.
//!
//! The filters of transactions are Fluo's iterators. They were made for Fluo's own scans, so three things that a filter
//! means are seen to here:
//! - They know of a column only what they are fed, so a scan that begins inside a column is begun at its first entry,
//!   and what lies before the span is left out.
//! - Those of one column look at the first column of what they are asked for, and begin anew where a scan is taken up
//!   again: so they are asked for that column only, and for one entry.
//! - They tell columns of notifications from others only where a scan asks for no column, or not at all: so what a scan
//!   asks for is narrowed to what its filter looks at.

use accumulo_proxy::IteratorSetting;
use fluo_core::layout::{NOTIFICATION_FAMILY, Prewrite, Share};
use fluo_core::{ColumnSelector, Error, Filter, Key, Result, Scan, Span};

/// Nearer to the reader than the iterators of a table, whose versioning has priority 20.
const FIRST_OF_ROW_PRIORITY: i32 = 1_000;
const FIRST_OF_ROW: &str = "org.apache.accumulo.core.iterators.FirstEntryInRowIterator";

/// The priorities of Fluo's own clients: nearer to the data than the versions of a table.
const COLUMN_PRIORITY: i32 = 10;
const NOTIFICATION_PRIORITY: i32 = 11;
const SHARE_PRIORITY: i32 = 30;
const TIMESTAMP: &str = "timestampOpt";

/// Checks whether a filter is made of Fluo's iterators, and not of Accumulo's own.
pub(crate) fn needs_fluo(filter: Filter) -> bool {
    !matches!(filter, Filter::None | Filter::FirstOfRow)
}

/// The iterators on the servers that mean what a filter means.
pub(crate) fn iterators(filter: Filter) -> Result<Vec<IteratorSetting>> {
    match filter {
        Filter::None => Ok(Vec::new()),
        Filter::FirstOfRow => {
            let first = IteratorSetting::new(FIRST_OF_ROW_PRIORITY, "firstOfRow", FIRST_OF_ROW);
            Ok(vec![first])
        }
        Filter::Snapshot { at } => {
            let snapshot = fluo(COLUMN_PRIORITY, "SnapshotIterator");
            Ok(vec![snapshot.option(TIMESTAMP, at.to_string())])
        }
        Filter::Prewrite(prewrite) => Ok(vec![of_prewrite(prewrite)]),
        Filter::TransactionStatus { start } => {
            let status = fluo(COLUMN_PRIORITY, "RollbackCheckIterator");
            Ok(vec![status.option(TIMESTAMP, start.to_string())])
        }
        Filter::OpenReadLocks => Ok(vec![fluo(COLUMN_PRIORITY, "OpenReadLockIterator")]),
        Filter::Notifications { share } => {
            let newest = fluo(NOTIFICATION_PRIORITY, "NotificationIterator");
            Ok([newest].into_iter().chain(share.map(of_share)).collect())
        }
        // To read on without the filter would yield too much, silently.
        other => Err(Error::invalid(format!(
            "there is no iterator on the servers for the filter {other:?}"
        ))),
    }
}

fn fluo(priority: i32, class: &str) -> IteratorSetting {
    let package = "org.apache.fluo.accumulo.iterators";
    IteratorSetting::new(priority, class, format!("{package}.{class}"))
}

fn of_prewrite(prewrite: Prewrite) -> IteratorSetting {
    let mut setting =
        fluo(COLUMN_PRIORITY, "PrewriteIterator").option(TIMESTAMP, prewrite.start.to_string());
    if prewrite.is_read_lock {
        setting = setting.option("readLock", "true");
    }
    if let Some(notification) = prewrite.acknowledged_after {
        setting = setting
            .option("checkAckOpt", "true")
            .option("ntfyTsOpt", notification.to_string());
    }
    setting
}

fn of_share(share: Share) -> IteratorSetting {
    let package = "org.apache.fluo.accumulo.iterators";
    IteratorSetting::new(
        SHARE_PRIORITY,
        "nhf",
        format!("{package}.NotificationHashFilter"),
    )
    .option("divisor", share.divisor().to_string())
    .option("remainder", share.remainder().to_string())
}

/// What the servers are asked for, for a span of a scan.
pub(crate) fn asked_for(filter: Filter, span: &Span) -> Span {
    if !needs_fluo(filter) {
        return span.clone();
    }
    let start = span.start();
    let column = Span::cell(start.row.clone(), &start.column);
    let end = match span.end() {
        Some(end) if filter.is_of_one_column() => column.end().map(|column| column.min(end)),
        None if filter.is_of_one_column() => column.end(),
        end => end,
    };
    Span::between(column.start().clone(), end.cloned())
}

/// The columns that the servers are asked for, none meaning all; `None` if there is nothing to ask for.
pub(crate) fn columns(scan: &Scan) -> Option<Vec<ColumnSelector>> {
    let filter = scan.filter_intent();
    let asked: Vec<ColumnSelector> = match (filter, scan.columns()) {
        (Filter::Notifications { .. }, []) => vec![ColumnSelector::family(NOTIFICATION_FAMILY)],
        (_, columns) => columns.to_vec(),
    };
    let is_all = asked.is_empty();
    let looked_at = asked
        .into_iter()
        .filter(|column| filter.looks_at_family(&column.family));
    let looked_at: Vec<_> = looked_at.collect();
    (is_all || !looked_at.is_empty()).then_some(looked_at)
}

/// Whether an entry that the servers showed is one that the scan shows, after the one that it showed `last`.
pub(crate) fn is_shown(filter: Filter, span: &Span, last: Option<&Key>, key: &Key) -> bool {
    let is_new = last.is_none_or(|last| !filter.is_of_one_column() && key > last);
    is_new && span.contains(key)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use fluo_core::{Column, Timestamp};

    use super::*;

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    /// Priority, class and options of the iterators.
    fn settings(filter: Filter) -> Vec<String> {
        let setting = |it: IteratorSetting| {
            let class = it.class.rsplit('.').next().unwrap().to_owned();
            assert_eq!(
                it.class,
                format!("org.apache.fluo.accumulo.iterators.{class}")
            );
            format!("{} {class} {:?}", it.priority, it.options)
        };
        iterators(filter)
            .unwrap()
            .into_iter()
            .map(setting)
            .collect()
    }

    #[test]
    fn the_iterators_are_those_of_fluo_with_its_options() {
        assert_eq!(
            settings(Filter::Snapshot { at: at(7) }),
            [r#"10 SnapshotIterator {"timestampOpt": "7"}"#]
        );
        assert_eq!(
            settings(Filter::TransactionStatus { start: at(7) }),
            [r#"10 RollbackCheckIterator {"timestampOpt": "7"}"#]
        );
        assert_eq!(
            settings(Filter::OpenReadLocks),
            ["10 OpenReadLockIterator {}"]
        );
        let share = Share::new(NonZeroU32::new(7).unwrap(), 3).ok();
        assert_eq!(
            settings(Filter::Notifications { share }),
            [
                "11 NotificationIterator {}",
                r#"30 NotificationHashFilter {"divisor": "7", "remainder": "3"}"#
            ]
        );
        let prewrite = Prewrite {
            start: at(7),
            is_read_lock: false,
            acknowledged_after: None,
        };
        assert_eq!(
            settings(Filter::Prewrite(prewrite)),
            [r#"10 PrewriteIterator {"timestampOpt": "7"}"#]
        );
        let all = Prewrite {
            is_read_lock: true,
            acknowledged_after: Some(at(5)),
            ..prewrite
        };
        assert_eq!(
            settings(Filter::Prewrite(all)),
            [
                r#"10 PrewriteIterator {"checkAckOpt": "true", "ntfyTsOpt": "5", "readLock": "true", "timestampOpt": "7"}"#
            ]
        );
    }

    #[test]
    fn a_column_is_asked_for_from_its_beginning() {
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
    fn only_what_the_filter_looks_at_is_asked_for() {
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
        assert_eq!(
            asked(all_notifications, &[]),
            Some(vec![notifications.clone()])
        );
        assert_eq!(asked(all_notifications, &[&cells]), None);
        assert_eq!(
            asked(Filter::None, &[&notifications]),
            Some(vec![notifications])
        );
    }
}
