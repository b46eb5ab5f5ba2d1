//! The commit of a transaction that writes no cell: there is nothing to lock, and nobody to conflict with.
//!
//! It may ask for weak observers all the same. Their notifications stand before the one that started it goes, as for
//! every other commit (P5). If it fails between the two, some may stand although it has not committed: their observers
//! run in vain.

use std::collections::{BTreeMap, BTreeSet};

use crate::client::Shared;
use crate::data::{Bytes, Column, RowColumn, Timestamp};
use crate::error::Result;
use crate::transaction::entries;
use crate::transaction::lock_primary::before_the_commit_point;
use crate::transaction::plan::Trigger;
use crate::transaction::resolve::RowMutations;
use crate::transaction::{CommitError, Committed};

/// Sets notifications, and takes back the one that started the transaction.
pub(super) async fn only_notify(
    client: &Shared,
    start: Timestamp,
    notified: BTreeSet<RowColumn>,
    trigger: Option<Trigger>,
) -> Result<Committed, CommitError> {
    let mut committed = Committed {
        start,
        commit: None,
    };
    if !notified.is_empty() {
        let commit = client
            .commit_timestamp(start)
            .await
            .map_err(before_the_commit_point)?;
        notify(client, start, commit, notified).await?;
        committed.commit = Some(commit);
    }
    if let Some(trigger) = trigger {
        let mut writes = RowMutations::default();
        writes.take_back_notification(&trigger.cell, start);
        let taken_back = client.write_surely(writes.into_mutations(), start).await;
        // Once others are notified, it has committed: what is left is found and run again.
        if committed.commit.is_none() {
            taken_back?;
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
        writes.add(&row, |mutation| {
            entries::notification(mutation, &column, commit)
        });
        by_row.entry(row).or_default().push(column);
    }
    client.write_surely(writes.into_mutations(), start).await?;
    client.listeners.tell(&by_row, commit);
    Ok(())
}
