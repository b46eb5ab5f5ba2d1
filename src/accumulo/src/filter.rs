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
    if matches!(filter, Filter::None | Filter::FirstOfRow) {
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
    let is_new = last.is_none_or(|last| match filter.is_of_one_column() {
        true => false,
        false => key > last,
    });
    is_new && span.contains(key)
}
