//! Dead letters, and their return to the table.

use fluo_table::coordination::FailedNotification;
use fluo_table::{Result, RowColumn};

use crate::client::Client;
use crate::context::Shared;
use crate::transaction::encode_entries;

/// Records a dead letter, and then deletes the notification from the table, at its own timestamp,
/// so a later one of the cell stays. Both steps may be repeated.
pub(super) async fn add_dead_letter(client: &Shared, failed: FailedNotification) -> Result<()> {
    let (cell, at) = (failed.cell.clone(), failed.timestamp);
    client.coordination.add_dead_letter(failed).await?;
    let delete = encode_entries::delete_notifications(&cell, at);
    client.write_until_done(vec![delete], at).await
}

impl Client {
    /// Returns the dead letters by cell: notifications whose observers failed too often.
    ///
    /// # Errors
    ///
    /// All errors of the coordination.
    pub async fn failed_notifications(&self) -> Result<Vec<FailedNotification>> {
        self.shared.coordination.dead_letters().await
    }

    /// Requeues the dead letter of a cell, so its observer runs again. Returns `false` if there is
    /// none.
    ///
    /// # Errors
    ///
    /// All errors of the table and the coordination. The notification may then be requeued and
    /// still be in the dead letters, or be in them again. The call may be repeated.
    pub async fn retry_notification(&self, cell: &RowColumn) -> Result<bool> {
        let records = self.failed_notifications().await?;
        let wanted = records.into_iter().filter(|record| record.cell == *cell);
        Ok(self.requeue(wanted.collect()).await? > 0)
    }

    /// Requeues all dead letters like [`retry_notification`](Self::retry_notification), and returns
    /// their number.
    pub async fn retry_all_notifications(&self) -> Result<usize> {
        self.requeue(self.failed_notifications().await?).await
    }

    /// Writes notifications at a new timestamp, and then removes their records.
    async fn requeue(&self, records: Vec<FailedNotification>) -> Result<usize> {
        if records.is_empty() {
            return Ok(0);
        }
        let shared = &self.shared;
        // A new timestamp, so that no earlier deletion hides them.
        let at = shared.active.next_timestamp().await?;
        let notified = encode_entries::by_row(records.iter().map(|record| record.cell.clone()));
        shared.write_until_done(encode_entries::notifications(&notified, at), at).await?;
        for record in &records {
            // The record of a further failure stays, because its timestamp is later.
            let (cell, up_to) = (&record.cell, record.timestamp);
            shared.coordination.remove_dead_letter(cell, up_to).await?;
        }
        shared.listeners.offer(&notified, at);
        Ok(records.len())
    }
}
