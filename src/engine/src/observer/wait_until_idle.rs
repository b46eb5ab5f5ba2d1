//! Waiting until an application is idle.
//!
//! An application is idle if every notification of a transaction that had committed when the wait
//! began was processed, and so was every notification that this work caused. The check takes a
//! timestamp, scans the notifications of the table twice, and takes another timestamp. The
//! application is idle if both scans found no notification and the second timestamp directly
//! follows the first.
//!
//! - **N1.** If no other caller received a timestamp between the two, no transaction began between
//!   them, and none took its commit timestamp. Only transactions that already had a commit
//!   timestamp wrote to the table then. Other uses of timestamps, such as the one that a client
//!   publishes and discards, make the wait longer but never wrong.
//! - **N2.** A notification is deleted only by a transaction that began after it was written (O1),
//!   and only after the notifications of that transaction are written (P5: they are written before
//!   its primary commits, or in the same step, T16; the notification that started it is deleted
//!   with the primary's commit or later).
//! - **N3.** One scan is not enough, because a scan is not instantaneous. A transaction that
//!   already had its commit timestamp may write a notification to a row that the scan has passed,
//!   and then delete its own notification from a row that the scan has not reached. But its own
//!   notification was stored until the new one was written. If its own was still stored at the end
//!   of the first scan, that scan found it. Otherwise the new one was written before the second
//!   scan began, no transaction could begin to delete it (N1), and the second scan found it. One
//!   case is left: another transaction that was already committing may have deleted the new one,
//!   for an earlier notification of the same cell. That transaction began after the timestamp of
//!   the new notification, so it has processed it. The same argument then applies to its
//!   notifications, and finally to those of the last transaction that was committing.
//! - **N4.** So if both scans found nothing, then at the end of the first one no notification was
//!   stored, and no earlier commit was still in progress.
//!
//! A dead letter counts as processed. A notification whose observer fails does not, until it is
//! processed. If two workers run the same notification of a weak observer at once, the first commit
//! processes it. The wait does not include the other transaction, which may commit later.

use std::num::NonZeroUsize;
use std::time::Duration;

use fluo_table::{Result, Timestamp};
use futures::stream::TryStreamExt;
use tokio::time::sleep;
use tracing::debug;

use crate::client::Client;
use crate::context::{Pauses, cut};
use crate::observer::scanner::{notification, notifications};

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(250);

impl Client {
    /// Waits until all notifications that were stored at the call are processed by workers, in this
    /// or any other process, and so are all notifications that this work causes. Dead letters do
    /// not count.
    ///
    /// The wait ends at a moment at which no caller takes a timestamp. It continues while
    /// transactions are begun without a pause. The future may be dropped at any time.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) for a notification that cannot be decoded, and all
    /// errors of the table and the coordination except passing ones.
    pub async fn wait_until_idle(&self) -> Result<()> {
        let mut pauses = Pauses::new(FIRST_PAUSE, MAX_PAUSE);
        loop {
            let drawn = match self.check_idle().await {
                Ok(None) => return Ok(()),
                Ok(Some(at)) => at.get(),
                Err(error) if error.kind().is_passing() => {
                    debug!(%error, "the notifications could not be checked; retrying");
                    0
                }
                Err(error) => return Err(error),
            };
            // The pause is varied, so that two waiting clients do not disturb each other
            // repeatedly.
            sleep(cut(pauses.next_pause(), drawn)).await;
        }
    }

    /// Checks once whether the application is idle, as [`wait_until_idle`](Self::wait_until_idle)
    /// does repeatedly. Returns false also if another client has begun a transaction meanwhile.
    ///
    /// # Errors
    ///
    /// Those of [`Table::scan`](fluo_table::Table::scan) and of the coordination.
    pub async fn is_idle(&self) -> Result<bool> {
        Ok(self.check_idle().await?.is_none())
    }

    /// Returns `None` if the application is idle. If something is left, or may be, returns a
    /// timestamp that was given to no other caller.
    async fn check_idle(&self) -> Result<Option<Timestamp>> {
        let active = &self.shared.active;
        let first = active.next_timestamp().await?;
        if self.has_notification().await? || self.has_notification().await? {
            return Ok(Some(first));
        }
        let second = active.next_timestamp().await?;
        Ok((first.next()? != second).then_some(second))
    }

    async fn has_notification(&self) -> Result<bool> {
        let scan = notifications().batch_cells(NonZeroUsize::MIN);
        let mut found = self.shared.table.scan(scan);
        while let Some(cells) = found.try_next().await? {
            if let Some(cell) = cells.first() {
                notification(cell)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
