//! The task that reads a scan.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;
use tracing::debug;

use super::batch_size::{Pace, entry_bytes};
use super::cursor::{Cursor, ScanPlan, while_wanted};
use crate::client::ProxyClient;
use crate::data::{Entry, NextBatch};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface::NextK;

/// An item for the consumer: a batch, or as the last item the end of the scan or its error.
pub(super) type Item = Result<Option<Vec<Entry>>>;

#[derive(Debug)]
pub(super) struct Reader {
    client: ProxyClient,
    table: String,
    scan: ScanPlan,
    pace: Pace,
    cursor: Option<Cursor>,
    is_at_end: bool,
    /// Notifies the task that the consumer needs more than the first batch; `None` afterwards.
    needs_more: Option<oneshot::Receiver<()>>,
}

impl Reader {
    pub(super) fn new(
        client: ProxyClient,
        table: String,
        scan: ScanPlan,
        needs_more: oneshot::Receiver<()>,
    ) -> Self {
        let pace = scan.pace(client.options().max_reply_bytes);
        let needs_more = Some(needs_more);
        Self { client, table, scan, pace, cursor: None, is_at_end: false, needs_more }
    }

    /// Reads until the end, an error, or until the consumer is dropped.
    ///
    /// Most scans read a row or two: one batch. Reading ahead therefore starts when the consumer
    /// asks for a second batch.
    pub(super) async fn run(mut self: Box<Self>, sink: mpsc::Sender<Item>) {
        // Reserving the place before the read ensures that at most one batch waits.
        while let Ok(place) = sink.reserve().await {
            let item = self.next(&sink).await;
            let is_last = !matches!(item, Ok(Some(_)));
            place.send(item);
            if is_last {
                break;
            }
            if !self.is_at_end
                && let Some(needs_more) = self.needs_more.take()
            {
                // The sender is dropped with the consumer.
                let _ = needs_more.await;
            }
        }
    }

    /// Returns the error of a scan whose task ended without a last item.
    pub(super) fn cut_off(&self) -> Error {
        let reason =
            "the task that reads ended before the scan: its runtime was shut down, or it panicked";
        self.error(ErrorKind::Unreachable, reason)
    }

    /// Returns the next batch, or `None` at the end or if the consumer is dropped.
    async fn next(&mut self, sink: &mpsc::Sender<Item>) -> Item {
        let mut pauses = self.client.options().pauses();
        while !self.is_at_end && !sink.is_closed() {
            let entries = self.pace.entries();
            // The call that opens the scan has its own retries, so its failure is final.
            let Some(cursor) = self.open().await? else {
                break;
            };
            if sink.is_closed() {
                break;
            }
            match while_wanted(sink.closed(), cursor.next(entries)).await {
                Some(Ok(batch)) => {
                    self.learn(&batch);
                    if !batch.entries.is_empty() {
                        return Ok(Some(batch.entries));
                    }
                }
                Some(Err(error)) => {
                    let may_reopen = cursor.may_reopen(&error);
                    self.cursor = None;
                    let pause = self.pause_after(error, may_reopen, &mut pauses)?;
                    tokio::select! {
                        () = sink.closed() => {}
                        () = sleep(pause) => {}
                    }
                }
                None => break,
            }
        }
        Ok(None)
    }

    /// Returns the cursor, and opens it if necessary; `None` if there is nothing to read. The call
    /// is never cancelled, because an unread reply would leave an open cursor behind.
    async fn open(&mut self) -> Result<Option<&Cursor>> {
        if self.cursor.is_none() {
            self.cursor = self.scan.open(&self.client, &self.table).await?;
        }
        Ok(self.cursor.as_ref())
    }

    fn learn(&mut self, batch: &NextBatch) {
        self.pace.learn(batch.entries.iter().map(entry_bytes));
        if let Some(last) = batch.entries.last() {
            self.scan.shrink(&last.key);
        }
        self.is_at_end = !batch.more;
        if self.is_at_end {
            // The consumer may read this batch much later.
            self.cursor = None;
        }
    }

    /// Returns the pause before an ordered scan resumes, or the error that ends the scan.
    fn pause_after(
        &mut self,
        error: Error,
        may_reopen: bool,
        pauses: &mut impl Iterator<Item = Duration>,
    ) -> Result<Duration> {
        let is_ordered = matches!(self.scan, ScanPlan::Ordered(_));
        debug!(%error, is_ordered, "a scan broke");
        if is_ordered && error.is_reply_too_large() && self.pace.shrink() {
            return Ok(Duration::ZERO);
        }
        if error.is_reply_too_large() && self.pace.entries() > 1 {
            return Err(self.with_advice(&error));
        }
        match pauses.next() {
            Some(pause) if is_ordered && may_reopen => Ok(pause),
            _ => Err(error),
        }
    }

    /// Adds advice to an error: an unordered scan cannot resume, but the caller can adjust the next
    /// scan.
    fn with_advice(&self, error: &Error) -> Error {
        let reason = format!(
            "{}; this scan asked for {} entries at a time: ask for fewer",
            error.reason(),
            self.pace.entries()
        );
        self.error(error.kind(), reason).with_reply_too_large(true)
    }

    fn error(&self, kind: ErrorKind, reason: impl Into<String>) -> Error {
        self.client.error(kind, NextK::NAME, Some(self.table.as_str()), reason)
    }
}
