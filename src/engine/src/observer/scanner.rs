//! Scans for notifications in the table.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::layout::{NOTIFICATION_FAMILY, NotificationTimestamp, Partition, observed_column};
use fluo_table::{
    Cell, ColumnSelector, Error, ErrorKind, Filter, Key, Result, RowColumn, Scan, Span,
};
use futures::stream::TryStreamExt;
use tokio::time::Instant;
use tracing::{debug, warn};

use crate::client::Client;
use crate::observer::WorkerOptions;
use crate::observer::membership::Membership;
use crate::observer::queue::{Found, Offered, Queue};

/// Returns a scan of the notifications of a share, or of all if there is no share.
pub(super) fn notifications(over: Span, share: Option<Partition>) -> Scan {
    Scan::over(over)
        .column(ColumnSelector::family(NOTIFICATION_FAMILY))
        .filter(Filter::Notifications { share })
}

/// Decodes the notification in a cell of such a scan.
pub(super) fn notification(cell: &Cell) -> Result<Found> {
    let column = observed_column(&cell.key.column)?;
    let stamp = NotificationTimestamp::decode(cell.key.timestamp).ok_or_else(|| {
        let message = format!(
            "`{}` has a timestamp that no notification can have",
            cell.key
        );
        Error::new(ErrorKind::Corrupt, message)
    })?;
    Ok(Found {
        cell: RowColumn::new(cell.key.row.clone(), column),
        at: stamp.timestamp,
    })
}

/// The task that scans for the notifications of one worker.
#[derive(Debug)]
pub(super) struct Scanner {
    pub(super) client: Client,
    pub(super) queue: Arc<Queue>,
    pub(super) membership: Arc<Membership>,
    pub(super) options: WorkerOptions,
}

/// The result of one scan.
#[derive(Clone, Copy, Debug, Default)]
struct Scanned {
    queued: u64,
    unreadable: u64,
}

/// Maximum number of cells in a batch.
const BATCH_CELLS: usize = 1_000;

impl Scanner {
    /// Scans and pauses in turn, until the task is aborted.
    pub(super) async fn run(self) {
        let mut pause = self.options.min_scan_pause;
        loop {
            let queued = match self.scan_all().await {
                Ok(scanned) => scanned.queued,
                Err(error) => {
                    warn!(%error, "the scan for notifications failed; retrying");
                    0
                }
            };
            self.queue.end_scan();
            pause = self.pause_after(queued, pause);
            self.queue.rest(self.options.min_scan_pause, pause).await;
        }
    }

    fn pause_after(&self, queued: u64, before: Duration) -> Duration {
        match queued {
            0 => (before * 2).min(self.options.max_scan_pause),
            _ => self.options.min_scan_pause,
        }
    }

    /// Scans all notifications once, in parts. A part ends when the queue is full. The next part
    /// continues there once half of the queue was run. So every notification gets its turn, and
    /// memory use is bounded.
    async fn scan_all(&self) -> Result<Scanned> {
        let begun = Instant::now();
        let mut scanned = Scanned::default();
        let mut from = None;
        loop {
            self.queue.room().await;
            let share = self.share().await?;
            let rest = from.map_or_else(Span::all, |from| Span::between(from, None));
            let scan = notifications(rest, Some(share)).batch_cells(self.batch_cells());
            match self.scan_part(scan, &mut scanned).await? {
                Some(rest) => from = Some(rest),
                None => break,
            }
        }
        self.queue.forget_gone(begun);
        if scanned.unreadable > 0 {
            warn!(
                cells = scanned.unreadable,
                "cells in the notification family are not notifications"
            );
        }
        debug!(queued = scanned.queued, "scanned for notifications");
        Ok(scanned)
    }

    /// Scans until the queue is full. Returns the key at which the next part begins.
    async fn scan_part(&self, scan: Scan, scanned: &mut Scanned) -> Result<Option<Key>> {
        let _part = PartialScan::begin(&self.queue);
        let most = u64::try_from(self.options.max_queued_notifications).unwrap_or(u64::MAX);
        let mut taken = 0;
        let mut batches = self.client.shared.table.scan(scan);
        while let Some(batch) = batches.try_next().await? {
            for cell in batch {
                let found = match notification(&cell) {
                    Ok(found) => found,
                    Err(error) => {
                        debug!(%error, "a cell in the notification family is not a notification");
                        scanned.unreadable += 1;
                        continue;
                    }
                };
                match self.queue.offer_found(found) {
                    Offered::Queued if taken < most => {
                        metrics::counter!("fluo_notifications_found_total").increment(1);
                        taken += 1;
                        scanned.queued += 1;
                    }
                    Offered::Skipped => {}
                    Offered::Queued | Offered::NoRoom => {
                        let timestamp = i64::MAX;
                        return Ok(Some(Key {
                            timestamp,
                            ..cell.key
                        }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the share of this worker. If the share has changed, there may be dead letters of
    /// cells that belonged to another worker, so the dead letters are listed until that succeeds.
    /// They are also listed when there are more of them than are cached individually.
    async fn share(&self) -> Result<Partition> {
        let share = self.membership.share().await?;
        if let Some(listing) = self.queue.set_share(share) {
            debug!(remainder = share.remainder(), divisor = %share.divisor(), "listing the dead letters");
            let records = self.client.shared.coordination.dead_letters().await?;
            self.queue
                .set_dead_letters(listing, records.iter().map(|record| &record.cell));
        }
        Ok(share)
    }

    fn batch_cells(&self) -> NonZeroUsize {
        let cells = self.options.max_queued_notifications.min(BATCH_CELLS);
        NonZeroUsize::new(cells).unwrap_or(NonZeroUsize::MIN)
    }
}

/// A part of a scan in progress.
struct PartialScan<'a>(&'a Queue);

impl<'a> PartialScan<'a> {
    fn begin(queue: &'a Queue) -> Self {
        queue.set_scanning(true);
        Self(queue)
    }
}

impl Drop for PartialScan<'_> {
    fn drop(&mut self) {
        self.0.set_scanning(false);
    }
}
