//! The commit of a transaction that writes no cell. It needs no locks and cannot conflict.
//!
//! It may still request weak observers. Their notifications are written before the one that started
//! it is deleted, as in every other commit (P5). If the commit fails between the two, some
//! notifications may be stored although it has not committed. Their observers then run without a
//! change.

use std::collections::BTreeSet;

use fluo_table::{RowColumn, Timestamp};

use crate::context::Shared;
use crate::transaction::{CommitError, CommitInfo, Trigger, encode_entries};

/// Writes the notifications, then deletes the one that started the transaction.
pub(super) async fn only_notify(
    client: &Shared,
    start: Timestamp,
    cells: BTreeSet<RowColumn>,
    trigger: Option<Trigger>,
) -> Result<CommitInfo, CommitError> {
    let mut committed = CommitInfo { start, commit: None };
    if !cells.is_empty() {
        let commit = client.commit_timestamp(start).await;
        let commit = commit.map_err(CommitError::before_the_commit_point)?;
        let notified = encode_entries::by_row(cells);
        let writes = encode_entries::notifications(&notified, commit);
        client.write_until_done(writes, start).await?;
        client.listeners.offer(&notified, commit);
        committed.commit = Some(commit);
    }
    if let Some(trigger) = trigger {
        let delete = encode_entries::delete_notifications(&trigger.cell, start);
        let deleted = client.write_until_done(vec![delete], start).await;
        // Once the notifications are written, the transaction has committed. If the deletion
        // failed, a worker finds the trigger and runs it again.
        if committed.commit.is_none() {
            deleted?;
        }
    }
    Ok(committed)
}
