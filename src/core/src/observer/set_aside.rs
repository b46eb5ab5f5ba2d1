//! Notifications that are set aside, and put back.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::client::{Client, Shared};
use crate::coordination::FailedNotification;
use crate::data::{Bytes, Column, RowColumn};
use crate::error::Result;
use crate::transaction::RowMutations;
use crate::transaction::entries;

/// Records a notification, and then takes it from the table, at its own timestamp: a later one of the cell stays. Both
/// may be repeated.
pub(super) async fn set_aside(client: &Shared, failed: FailedNotification) -> Result<()> {
    let (cell, at) = (failed.cell.clone(), failed.timestamp);
    client.coordination.set_aside(failed).await?;
    let mut writes = RowMutations::default();
    writes.delete_notifications(&cell, at);
    client.write_until_done(writes.into_mutations(), at).await
}

impl Client {
    /// The notifications that were set aside because their observers failed too often, by cell.
    ///
    /// # Errors
    /// Whatever the coordination fails with.
    pub async fn failed_notifications(&self) -> Result<Vec<FailedNotification>> {
        self.shared.coordination.set_aside_list().await
    }

    /// Puts back the notification of a cell that was set aside: its observer is run again. Says whether there was one.
    ///
    /// # Errors
    /// Whatever table and coordination fail with. The notification may have been put back, and may still be listed, or
    /// listed again; this may be repeated.
    pub async fn retry_notification(&self, cell: &RowColumn) -> Result<bool> {
        let records = self.failed_notifications().await?;
        let wanted = records.into_iter().filter(|record| record.cell == *cell);
        let put_back = self.put_back(wanted.collect()).await?;
        Ok(put_back > 0)
    }

    /// Puts back all notifications that were set aside, and says how many.
    ///
    /// # Errors
    /// As [`retry_notification`](Self::retry_notification).
    pub async fn retry_all_notifications(&self) -> Result<usize> {
        let records = self.failed_notifications().await?;
        self.put_back(records).await
    }

    /// Writes notifications anew, and then forgets their records.
    async fn put_back(&self, records: Vec<FailedNotification>) -> Result<usize> {
        let Some(count) = u32::try_from(records.len()).ok().and_then(NonZeroU32::new) else {
            return Ok(0);
        };
        let shared = &self.shared;
        // Fresh, so that no deletion of the past hides them.
        let at = shared.coordination.timestamps(NonZeroU32::MIN).await?.first;
        let mut writes = RowMutations::default();
        let mut notified: BTreeMap<Bytes, Vec<Column>> = BTreeMap::new();
        for RowColumn { row, column } in records.iter().map(|record| &record.cell) {
            writes.add(row, |mutation| entries::notification(mutation, column, at));
            notified
                .entry(row.clone())
                .or_default()
                .push(column.clone());
        }
        shared.write_until_done(writes.into_mutations(), at).await?;
        for record in &records {
            // One that failed once more by now stays: it has a later timestamp.
            let (cell, up_to) = (&record.cell, record.timestamp);
            shared.coordination.forget_set_aside(cell, up_to).await?;
        }
        shared.listeners.tell(&notified, at);
        Ok(usize::try_from(count.get()).unwrap_or(usize::MAX))
    }
}
