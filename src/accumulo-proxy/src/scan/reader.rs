//! The task that reads a scan.

use std::future::Future;
use std::time::Duration;

use tokio::time::sleep;
use tracing::debug;

use super::batch_size::Pace;
use super::channel::Sink;
use super::cursor::Cursor;
use super::ranges;
use crate::client::ProxyClient;
use crate::data::{BatchScanOptions, Bytes, Entry, Key, ScanOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::operations::NextBatch;
use crate::wire::Call;
use crate::wire::interface::NextKRequest;

/// Maximum time that a read continues after the consumer was dropped. A complete reply keeps the
/// connection usable for the next call, so a short wait is cheaper than a new connection.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// The range or ranges to read.
#[derive(Debug)]
pub(super) enum Scan {
    /// One range, which shrinks with each batch to the rest.
    Ordered(Box<ScanOptions>),
    Unordered(BatchScanOptions),
}

/// A scan and its progress.
#[derive(Debug)]
pub(super) struct Reader {
    client: ProxyClient,
    table: String,
    scan: Scan,
    pace: Pace,
    cursor: Option<Cursor>,
    is_at_end: bool,
}

impl Reader {
    pub(super) fn new(client: ProxyClient, table: String, scan: Scan) -> Self {
        let pace = scan.pace(client.options().max_reply_bytes);
        Self { client, table, scan, pace, cursor: None, is_at_end: false }
    }

    /// Reads until the end, an error, or until the consumer is dropped.
    ///
    /// Most scans read a row or two: one batch. Reading ahead therefore starts when the consumer
    /// asks for a second batch.
    pub(super) async fn run(mut self: Box<Self>, mut sink: Sink) {
        loop {
            // Reserving the place before the read ensures that at most one batch waits.
            let Some(place) = sink.place().await else {
                break;
            };
            let item = self.next(&sink).await;
            let is_last = !matches!(item, Ok(Some(_)));
            place.send(item);
            if is_last {
                break;
            }
            if !self.is_at_end {
                sink.until_more_is_needed().await;
            }
        }
        self.close();
    }

    /// Returns the error of a scan whose task ended without a last item.
    pub(super) fn cut_off(&self) -> Error {
        let reason =
            "the task that reads ended before the scan: its runtime was shut down, or it panicked";
        self.error(ErrorKind::Unreachable, reason)
    }

    /// Returns the next batch, or `None` at the end or if the consumer is dropped.
    async fn next(&mut self, sink: &Sink) -> Result<Option<Vec<Entry>>> {
        let mut pauses = self.client.options().retry.pauses();
        while !self.is_at_end && !sink.is_closed() {
            let entries = self.pace.entries();
            // The call that opens the scan has its own retries, so its failure is final.
            let Some(cursor) = self.open().await? else {
                break;
            };
            if sink.is_closed() {
                break;
            }
            match while_wanted(sink.closed(), GRACE, cursor.next(entries)).await {
                Some(Ok(batch)) => {
                    self.learn(&batch);
                    if !batch.entries.is_empty() {
                        return Ok(Some(batch.entries));
                    }
                }
                Some(Err(error)) => {
                    self.close();
                    let pause = self.pause_after(error, &mut pauses)?;
                    while_wanted(sink.closed(), Duration::ZERO, sleep(pause)).await;
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
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(cursor) = self.cursor.take() {
            cursor.close();
        }
    }

    /// Returns the pause before an ordered scan resumes, or the error that ends the scan.
    fn pause_after(
        &mut self,
        error: Error,
        pauses: &mut impl Iterator<Item = Duration>,
    ) -> Result<Duration> {
        let is_ordered = matches!(self.scan, Scan::Ordered(_));
        debug!(%error, is_ordered, "a scan broke");
        if is_ordered && error.is_reply_too_large() && self.pace.shrink() {
            return Ok(Duration::ZERO);
        }
        if error.is_reply_too_large() && self.pace.entries() > 1 {
            return Err(self.with_advice(&error));
        }
        let is_broken = matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::HandleExpired);
        match pauses.next() {
            Some(pause) if is_ordered && is_broken => Ok(pause),
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
        let table = Some(self.table.as_str());
        self.client.error(kind, NextKRequest::NAME, table, reason)
    }
}

impl Scan {
    fn pace(&self, max_reply_bytes: usize) -> Pace {
        match self {
            Self::Ordered(options) => Pace::bold(options.batch_entries.get(), max_reply_bytes),
            Self::Unordered(options) => Pace::careful(options.batch_entries.get(), max_reply_bytes),
        }
    }

    async fn open(&self, client: &ProxyClient, table: &str) -> Result<Option<Cursor>> {
        match self {
            Self::Ordered(options) if ranges::is_empty(&options.range) => Ok(None),
            Self::Ordered(options) => Cursor::ordered(client, table, options).await.map(Some),
            Self::Unordered(options) => {
                let mut options = options.clone();
                options.ranges = options.ranges.iter().map(ranges::half_open).collect();
                options.ranges.retain(|range| !ranges::is_empty(range));
                if options.ranges.is_empty() {
                    return Ok(None);
                }
                Cursor::unordered(client, table, &options).await.map(Some)
            }
        }
    }

    fn shrink(&mut self, last: &Key) {
        if let Self::Ordered(options) = self {
            options.range = options.range.after(last.clone());
        }
    }
}

/// Returns the result of `work`, or `None` if its consumer was `dropped` more than `grace` ago.
pub(super) async fn while_wanted<T>(
    dropped: impl Future<Output = ()>,
    grace: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    let unwanted = async {
        dropped.await;
        sleep(grace).await;
    };
    tokio::select! {
        biased;
        done = work => Some(done),
        () = unwanted => None,
    }
}

pub(super) fn entry_bytes(entry: &Entry) -> usize {
    let key = &entry.key;
    let parts = [&key.row, &key.family, &key.qualifier, &key.visibility];
    let key_bytes: usize = parts.into_iter().map(Bytes::len).sum();
    key_bytes.saturating_add(entry.value.len())
}
