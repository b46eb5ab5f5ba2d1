//! What has become of a transaction, as its primary says.

use futures::stream::TryStreamExt;

use std::num::NonZeroUsize;

use crate::data::{Bytes, RowColumn, Span, Timestamp};
use crate::error::Result;
use crate::layout::{DelLockOutcome, DelLockValue, EntryKind, WriteValue};
use crate::table::{Filter, Scan, Table};
use crate::transaction::damage::{in_cell, stamp_of};

/// What has become of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TransactionStatus {
    /// Its primary is locked, with this value: it may commit yet.
    Locked(Bytes),
    /// It committed at this timestamp.
    Committed(Timestamp),
    /// It will never commit.
    RolledBack,
    /// The primary knows nothing of it: it did not get that far, or everything of it was collected.
    Unknown,
}

/// Reads the status of the transaction that began at `start` and has this primary.
///
/// # Errors
/// Those of the table; [`Corrupt`](crate::ErrorKind::Corrupt) where what decides cannot be read.
pub(crate) async fn status(
    table: &dyn Table,
    primary: &RowColumn,
    start: Timestamp,
) -> Result<TransactionStatus> {
    let scan = Scan::over(Span::cell(primary.row.clone(), &primary.column))
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
            match value.outcome {
                DelLockOutcome::RolledBack => TransactionStatus::RolledBack,
                DelLockOutcome::Committed => TransactionStatus::Committed(value.done),
            }
        }
        _ => TransactionStatus::Unknown,
    })
}
