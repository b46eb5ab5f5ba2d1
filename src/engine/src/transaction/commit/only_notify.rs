//! The commit of a transaction that writes no cell. It needs no locks and cannot conflict.
//!
//! It may still request weak observers. Their notifications are written before the one that started
//! it is deleted, as in every other commit (P5). If the commit fails between the two, some
//! notifications may be stored although it has not committed. Their observers then run without a
//! change.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{Bytes, Column, Result, RowColumn, Timestamp};

use crate::context::Shared;
use crate::transaction::CommitError;
use crate::transaction::commit_info::CommitInfo;
use crate::transaction::encode_entries;
use crate::transaction::resolve::RowMutations;
use crate::transaction::trigger::Trigger;

/// Writes the notifications, then deletes the one that started the transaction.
pub(super) async fn only_notify(
    client: &Shared,
    start: Timestamp,
    notified: BTreeSet<RowColumn>,
    trigger: Option<Trigger>,
) -> Result<CommitInfo, CommitError> {
    let mut committed = CommitInfo { start, commit: None };
    if !notified.is_empty() {
        let commit =
            client.commit_timestamp(start).await.map_err(CommitError::before_the_commit_point)?;
        notify(client, start, commit, notified).await?;
        committed.commit = Some(commit);
    }
    if let Some(trigger) = trigger {
        let mut writes = RowMutations::default();
        writes.delete_notifications(&trigger.cell, start);
        let deleted = client.write_until_done(writes.into_mutations(), start).await;
        // Once the notifications are written, the transaction has committed. If the deletion
        // failed, a worker finds the trigger and runs it again.
        if committed.commit.is_none() {
            deleted?;
        }
    }
    Ok(committed)
}

async fn notify(
    client: &Shared,
    start: Timestamp,
    commit: Timestamp,
    notified: BTreeSet<RowColumn>,
) -> Result<()> {
    let mut writes = RowMutations::default();
    let mut by_row: BTreeMap<Bytes, Vec<Column>> = BTreeMap::new();
    for RowColumn { row, column } in notified {
        writes.add(&row, |mutation| encode_entries::notification(mutation, &column, commit));
        by_row.entry(row).or_default().push(column);
    }
    client.write_until_done(writes.into_mutations(), start).await?;
    client.listeners.offer(&by_row, commit);
    Ok(())
}
