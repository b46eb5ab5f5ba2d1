//! The status of a transaction, which its primary determines.

use std::num::NonZeroUsize;

use fluo_table::layout::{DelLockValue, EntryKind, LockValue, WriteValue};
use fluo_table::{Bytes, Filter, Key, Result, RowColumn, Scan, Span, Table, Timestamp};
use futures::stream::TryStreamExt;

use crate::transaction::corrupt::{in_cell, stamp_of};
use crate::transaction::encode_entries::stamp;

pub(crate) fn cell_span(cell: &RowColumn) -> Span {
    Span::cell(cell.row.clone(), &cell.column)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TransactionStatus {
    /// Its primary is locked, with this value. It may still commit.
    Locked(Bytes),
    /// It committed at this timestamp.
    Committed(Timestamp),
    /// It was rolled back, and will never commit.
    RolledBack,
    /// The primary has no trace of it: its primary was not locked yet, or all traces were
    /// collected.
    Unknown,
}

/// Reads the status of the transaction that began at `start` and has this primary. Returns
/// [`Corrupt`](fluo_table::ErrorKind::Corrupt) if the deciding entry cannot be decoded.
pub(crate) async fn status(
    table: &dyn Table,
    primary: &RowColumn,
    start: Timestamp,
) -> Result<TransactionStatus> {
    let scan = Scan::over(cell_span(primary))
        .filter(Filter::TransactionStatus { start })
        .batch_cells(NonZeroUsize::MIN);
    let first = table.scan(scan).try_next().await?;
    let Some(found) = first.and_then(|cells| cells.into_iter().next()) else {
        return Ok(TransactionStatus::Unknown);
    };
    let stamp = stamp_of(&found)?;
    let damaged = |error| in_cell(&found, error);
    Ok(match stamp.kind {
        EntryKind::Write if WriteValue::decode(&found.value).map_err(damaged)?.start == start => {
            TransactionStatus::Committed(stamp.timestamp)
        }
        EntryKind::Lock if stamp.timestamp == start => TransactionStatus::Locked(found.value),
        EntryKind::DelLock => {
            let value = DelLockValue::decode(&found.value).map_err(damaged)?;
            if value.is_rolled_back {
                TransactionStatus::RolledBack
            } else {
                TransactionStatus::Committed(value.done)
            }
        }
        _ => TransactionStatus::Unknown,
    })
}

/// Checks whether the lock of a primary has ended because its notification was acknowledged: the
/// lock only guards the cell, and an acknowledgement of its transaction or of a later one is
/// stored.
///
/// A transaction acknowledges a notification in the mutation that commits it. No later transaction
/// can have done so while the lock held. No transaction locks the cell after a later one has
/// acknowledged its notification.
pub(crate) async fn is_acknowledged(
    table: &dyn Table,
    primary: &RowColumn,
    start: Timestamp,
    lock: &[u8],
) -> Result<bool> {
    let is_guard = |lock: LockValue| lock.is_trigger && !lock.is_write;
    if !LockValue::decode(lock).is_ok_and(is_guard) {
        return Ok(false);
    }
    has_acknowledgement(table, primary, start).await
}

/// Returns the span of the entries of a kind in a column, from the latest to the earliest.
pub(crate) fn entries(
    cell: &RowColumn,
    kind: EntryKind,
    latest: Timestamp,
    earliest: Timestamp,
) -> Span {
    let key = |at| Key::new(cell.row.clone(), cell.column.clone(), stamp(kind, at));
    Span::between(key(latest), Some(key(earliest).successor()))
}

/// Checks whether a transaction that began at a timestamp or later has acknowledged the
/// notification of a cell.
pub(crate) async fn has_acknowledgement(
    table: &dyn Table,
    cell: &RowColumn,
    since: Timestamp,
) -> Result<bool> {
    let since = entries(cell, EntryKind::Ack, Timestamp::MAX, since);
    Ok(!table.read(Scan::over(since).batch_cells(NonZeroUsize::MIN)).await?.is_empty())
}
