//! Scans for notifications in the table.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::coordination::Share;
use fluo_table::layout::{NOTIFICATION_FAMILY, NotificationTimestamp, observed_column};
use fluo_table::{Cell, ColumnSelector, Error, Filter, Key, Result, RowColumn, Scan, Span};
use futures::stream::TryStreamExt;
use tokio::select;
use tokio::time::{Instant, timeout};
use tracing::{debug, warn};

use crate::observer::dead_letter_cache::list_dead_letters;
use crate::observer::queue::{Found, Offered};
use crate::observer::worker::WorkerState;

/// Returns a scan of all notifications that wait for their observers.
pub fn notifications() -> Scan {
    filtered([Span::all()], Filter::Notifications { share: None })
}

fn filtered(spans: impl IntoIterator<Item = Span>, filter: Filter) -> Scan {
    Scan::over_all(spans).column(ColumnSelector::family(NOTIFICATION_FAMILY)).filter(filter)
}

/// The notifications that a worker scans for. No filter shows both kinds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Those in the partition of its share.
    Partition,
    /// The unpartitioned ones, if its share has them.
    Unpartitioned,
}

impl Kind {
    /// Returns a scan of the notifications of this kind in a share, or `None` if it has none.
    fn scan(self, share: &Share) -> Option<Scan> {
        let filter = match self {
            Self::Partition => Filter::Notifications { share: Some(share.partition()) },
            Self::Unpartitioned if share.has_unpartitioned() => Filter::UnpartitionedNotifications,
            Self::Unpartitioned => return None,
        };
        Some(filtered(share.spans().iter().cloned(), filter))
    }
}

pub(super) fn notification(cell: &Cell) -> Result<Found> {
    let column = observed_column(&cell.key.column)?;
    let stamp = NotificationTimestamp::decode(cell.key.timestamp).ok_or_else(|| {
        Error::corrupt(format!("`{}` has a timestamp that no notification can have", cell.key))
    })?;
    Ok(Found { cell: RowColumn::new(cell.key.row.clone(), column), at: stamp.timestamp })
}

#[derive(Clone, Copy, Debug, Default)]
struct Scanned {
    queued: usize,
    unreadable: usize,
}

const BATCH_CELLS: usize = 1_000;
/// Number of rounds after which a round that finds work also scans for unpartitioned notifications.
/// One row in four billion has them, and their scan reads all notifications again.
const UNPARTITIONED_ROUNDS: u64 = 10;

impl WorkerState {
    /// Scans and pauses in turn, until the task is aborted.
    pub(super) async fn scan_repeatedly(self: Arc<Self>) {
        let (min_pause, max_pause) = (self.limits.min_scan_pause, self.limits.max_scan_pause);
        let mut pause = min_pause;
        for round in 0_u64.. {
            let scanned = self.scan_all(round).await;
            self.queue.end_scan();
            let is_soon = match scanned {
                // The work begins soon after the worker has a share.
                Ok(scanned) => scanned.is_none_or(|scanned| scanned.queued > 0),
                Err(error) => {
                    warn!(%error, "the scan for notifications failed; retrying");
                    self.readiness.set(Err(error));
                    false
                }
            };
            pause = if is_soon { min_pause } else { max_pause.min(pause * 2) };
            select! {
                () = self.queue.rest(min_pause, pause) => {}
                () = self.membership.changed() => {}
            }
        }
    }

    /// Scans all notifications once, in parts. A part ends when the queue is full. The next part
    /// continues there once half of the queue was run. So every notification gets its turn, and
    /// memory use is bounded. Returns `None` if the worker has no share. A round that finds work
    /// usually leaves the unpartitioned notifications to a later one.
    async fn scan_all(&self, round: u64) -> Result<Option<Scanned>> {
        let begun = Instant::now();
        let mut scanned = Scanned::default();
        let mut is_complete = true;
        for kind in [Kind::Partition, Kind::Unpartitioned] {
            let is_due = scanned.queued == 0 || round.is_multiple_of(UNPARTITIONED_ROUNDS);
            if kind == Kind::Unpartitioned && !is_due {
                is_complete = false;
                break;
            }
            let mut from: Option<Key> = None;
            loop {
                let Some(share) = self.share_with_room().await? else {
                    return Ok(None);
                };
                let Some(scan) = kind.scan(&share) else { break };
                let scan = from.iter().fold(scan, Scan::starting_at);
                let cells = self.limits.max_queued_notifications.min(BATCH_CELLS);
                let cells = NonZeroUsize::new(cells).expect("a queue has room for one");
                let scan = scan.batch_cells(cells);
                self.queue.set_scanning(true);
                let part = select! {
                    part = self.scan_part(scan, &mut scanned) => Some(part),
                    () = self.membership.changed() => None,
                };
                self.queue.set_scanning(false);
                // The next round begins with the share.
                let Some(part) = part else { return Ok(None) };
                from = part?;
                self.readiness.set(Ok(()));
                if from.is_none() {
                    break;
                }
            }
        }
        if is_complete {
            self.queue.forget_gone(begun);
        }
        if scanned.unreadable > 0 {
            let cells = scanned.unreadable;
            warn!(cells, "cells in the notification family are not notifications");
        }
        debug!(queued = scanned.queued, "scanned for notifications");
        Ok(Some(scanned))
    }

    /// Scans until the queue is full. Returns the key at which the next part begins.
    async fn scan_part(&self, scan: Scan, scanned: &mut Scanned) -> Result<Option<Key>> {
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
                    Offered::Queued if taken < self.limits.max_queued_notifications => {
                        metrics::counter!("fluo_notifications_found_total").increment(1);
                        taken += 1;
                        scanned.queued += 1;
                    }
                    Offered::Skipped => {}
                    Offered::Queued | Offered::NoRoom => {
                        return Ok(Some(Key { timestamp: i64::MAX, ..cell.key }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the share of this worker once the queue has room. The queue follows changes of the
    /// share during the wait too.
    async fn share_with_room(&self) -> Result<Option<Share>> {
        loop {
            let share = self.share().await?;
            if share.is_none() {
                return Ok(None);
            }
            select! {
                biased;
                () = self.queue.room() => return Ok(share),
                _ = timeout(self.limits.max_scan_pause, self.membership.changed()) => {}
            }
        }
    }

    /// Returns the share of this worker. If the share has changed, there may be dead letters of
    /// cells that belonged to another worker, so the dead letters are listed until that succeeds.
    ///
    /// A passing failure does not change the share that the queue has.
    async fn share(&self) -> Result<Option<Share>> {
        let share = self.membership.share().await;
        match &share {
            Err(error) if error.kind().is_passing() => {}
            found => self.queue.set_share(found.as_ref().ok().and_then(Option::as_ref)),
        }
        if let Ok(None) = share {
            let waits = "the worker has no share of the notifications now";
            self.readiness.set(Err(Error::unavailable(waits)));
        }
        if let Ok(Some(_)) = share {
            list_dead_letters(&self.queue.dead_letters, &*self.client.shared.coordination).await?;
        }
        share
    }
}
