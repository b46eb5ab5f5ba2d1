//! Looks for notifications in the table.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::TryStreamExt;
use tokio::time::Instant;
use tracing::{debug, warn};

use crate::client::Client;
use crate::data::{Cell, Key, RowColumn, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{NOTIFICATION_FAMILY, NotificationStamp, Share, observed_column};
use crate::observer::WorkerSettings;
use crate::observer::membership::Membership;
use crate::observer::queue::{Found, Offered, Queue};
use crate::table::{ColumnSelector, Filter, Scan};

/// A scan of the notifications of a share; none is all.
pub(super) fn notifications(over: Span, share: Option<Share>) -> Scan {
    Scan::over(over)
        .column(ColumnSelector::family(NOTIFICATION_FAMILY))
        .filter(Filter::Notifications { share })
}

/// The notification that a cell of such a scan is.
pub(super) fn notification(cell: &Cell) -> Result<Found> {
    let column = observed_column(&cell.key.column)?;
    let stamp = NotificationStamp::decode(cell.key.timestamp).ok_or_else(|| {
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

/// What looks for the notifications of one worker, again and again.
#[derive(Debug)]
pub(super) struct Scanner {
    pub(super) client: Client,
    pub(super) queue: Arc<Queue>,
    pub(super) membership: Arc<Membership>,
    pub(super) settings: WorkerSettings,
}

/// What one look found.
#[derive(Clone, Copy, Debug, Default)]
struct Looked {
    queued: u64,
    unreadable: u64,
}

/// Most cells that the table gives at once.
const BATCH_CELLS: usize = 1_000;

impl Scanner {
    /// Looks and rests in turn, until the task is ended.
    pub(super) async fn run(self) {
        let mut pause = self.settings.min_scan_pause;
        loop {
            let queued = match self.look().await {
                Ok(looked) => looked.queued,
                Err(error) => {
                    warn!(%error, "notifications could not be looked for; it is tried again");
                    0
                }
            };
            self.queue.look_ended();
            pause = self.pause_after(queued, pause);
            self.queue.rest(self.settings.min_scan_pause, pause).await;
        }
    }

    fn pause_after(&self, queued: u64, before: Duration) -> Duration {
        match queued {
            0 => (before * 2).min(self.settings.max_scan_pause),
            _ => self.settings.min_scan_pause,
        }
    }

    /// One look at all notifications. It is made in parts: each ends where the queue is full, and the next goes on from
    /// there once half of it was run, so that every notification has its turn and little is known at once.
    async fn look(&self) -> Result<Looked> {
        let begun = Instant::now();
        let mut looked = Looked::default();
        let mut from = None;
        loop {
            self.queue.room().await;
            let share = self.share().await?;
            let rest = from.map_or_else(Span::all, |from| Span::between(from, None));
            let scan = notifications(rest, Some(share)).batch_cells(self.batch_cells());
            match self.look_at_part(scan, &mut looked).await? {
                Some(rest) => from = Some(rest),
                None => break,
            }
        }
        self.queue.forget_gone(begun);
        if looked.unreadable > 0 {
            warn!(
                cells = looked.unreadable,
                "cells that should be notifications are none"
            );
        }
        debug!(queued = looked.queued, "looked for notifications");
        Ok(looked)
    }

    /// Looks until the queue is full; gives the key where the next part begins.
    async fn look_at_part(&self, scan: Scan, looked: &mut Looked) -> Result<Option<Key>> {
        let _looking = Looking::begin(&self.queue);
        let most = u64::try_from(self.settings.max_queued_notifications).unwrap_or(u64::MAX);
        let mut taken = 0;
        let mut batches = self.client.shared.table.scan(scan);
        while let Some(batch) = batches.try_next().await? {
            for cell in batch {
                let found = match notification(&cell) {
                    Ok(found) => found,
                    Err(error) => {
                        debug!(%error, "a cell that should be a notification is none");
                        looked.unreadable += 1;
                        continue;
                    }
                };
                match self.queue.take_found(found) {
                    Offered::Queued if taken < most => {
                        metrics::counter!("fluo_notifications_found_total").increment(1);
                        taken += 1;
                        looked.queued += 1;
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

    /// This worker's share. When it is another one than before, records of cells that were another worker's may be among
    /// those that are set aside; they are listed until that succeeds. So they are when more were set aside than are
    /// known one by one.
    async fn share(&self) -> Result<Share> {
        let share = self.membership.share().await?;
        if let Some(listing) = self.queue.set_share(share) {
            debug!(remainder = share.remainder(), divisor = %share.divisor(), "what is set aside is listed");
            let records = self.client.shared.coordination.set_aside_list().await?;
            self.queue
                .know_set_aside(listing, records.iter().map(|record| &record.cell));
        }
        Ok(share)
    }

    fn batch_cells(&self) -> NonZeroUsize {
        let cells = self.settings.max_queued_notifications.min(BATCH_CELLS);
        NonZeroUsize::new(cells).unwrap_or(NonZeroUsize::MIN)
    }
}

/// A part of a look under way.
struct Looking<'a>(&'a Queue);

impl<'a> Looking<'a> {
    fn begin(queue: &'a Queue) -> Self {
        queue.set_looking(true);
        Self(queue)
    }
}

impl Drop for Looking<'_> {
    fn drop(&mut self) {
        self.0.set_looking(false);
    }
}
