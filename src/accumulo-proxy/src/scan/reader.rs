//! The task that reads.

use std::future::Future;
use std::time::Duration;

use tokio::time::sleep;
use tracing::debug;

use super::batches::Sink;
use super::bounds;
use super::cursor::{Batch, Cursor};
use super::options::{BatchScanOptions, ScanOptions};
use super::pace::Pace;
use crate::client::ProxyClient;
use crate::data::{Bytes, Entry, Key};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::generated::NextKRequest;

/// How long a read that nobody waits for any more may go on. A whole reply leaves the connection good for the next
/// call, so a short wait is cheaper than a new connection.
const GRACE: Duration = Duration::from_secs(1);

/// What is read.
#[derive(Debug)]
pub(super) enum Scan {
    /// Its range shrinks with each batch to what is left.
    Ordered(Box<ScanOptions>),
    Unordered(BatchScanOptions),
}

/// A scan, and how far it has come.
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
        let pace = scan.pace(client.settings().max_reply_bytes);
        Self {
            client,
            table,
            scan,
            pace,
            cursor: None,
            is_at_end: false,
        }
    }

    /// Reads until the end, an error, or until nobody listens.
    ///
    /// Most scans are of a row or two: one batch. So it reads ahead only once the consumer asked for a second.
    pub(super) async fn run(mut self: Box<Self>, mut sink: Sink) {
        loop {
            // The place first, then the batch: so no more than one waits.
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

    /// The error of a scan whose task ended without a last item.
    pub(super) fn cut_off(&self) -> Error {
        let reason =
            "the task that reads ended before the scan: its runtime was shut down, or it panicked";
        self.error(ErrorKind::Gone, reason)
    }

    /// The next batch; none at the end, and where nobody listens.
    async fn next(&mut self, sink: &Sink) -> Result<Option<Vec<Entry>>> {
        let mut pauses = self.client.settings().retry.pauses();
        while !self.is_at_end && !sink.is_closed() {
            let entries = self.pace.entries();
            // Opening is tried again by itself, so its failure is final.
            let Some(cursor) = self.open().await? else {
                break;
            };
            if sink.is_closed() {
                break;
            }
            match while_wanted(sink, GRACE, cursor.next(entries)).await {
                Some(Ok(batch)) => {
                    self.learn(&batch);
                    if !batch.entries.is_empty() {
                        return Ok(Some(batch.entries));
                    }
                }
                Some(Err(error)) => {
                    self.close();
                    let pause = self.pause_after(error, &mut pauses)?;
                    while_wanted(sink, Duration::ZERO, sleep(pause)).await;
                }
                None => break,
            }
        }
        Ok(None)
    }

    /// The cursor, opened where it is not; none where there is nothing to read. Never given up on the way: a reply
    /// that nobody reads would leave a cursor behind.
    async fn open(&mut self) -> Result<Option<&Cursor>> {
        if self.cursor.is_none() {
            self.cursor = self.scan.open(&self.client, &self.table).await?;
        }
        Ok(self.cursor.as_ref())
    }

    fn learn(&mut self, batch: &Batch) {
        self.pace.learn(batch.entries.iter().map(entry_bytes));
        if let Some(last) = batch.entries.last() {
            self.scan.shrink(&last.key);
        }
        self.is_at_end = !batch.has_more;
        if self.is_at_end {
            // Not when the consumer has come as far, which may be much later.
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(cursor) = self.cursor.take() {
            cursor.close();
        }
    }

    /// The pause after which an ordered scan goes on, or the error that ends it.
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
        let is_broken = matches!(error.kind(), ErrorKind::Gone | ErrorKind::HandleExpired);
        match pauses.next() {
            Some(pause) if is_ordered && is_broken => Ok(pause),
            _ => Err(error),
        }
    }

    /// An unordered scan cannot go on, but the next one can do better.
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
            Self::Ordered(options) if bounds::is_empty(&options.range) => Ok(None),
            Self::Ordered(options) => Cursor::ordered(client, table, options.to_wire())
                .await
                .map(Some),
            Self::Unordered(options) => {
                let mut options = options.clone();
                options.ranges = options.ranges.iter().map(bounds::half_open).collect();
                options.ranges.retain(|range| !bounds::is_empty(range));
                if options.ranges.is_empty() {
                    return Ok(None);
                }
                Cursor::unordered(client, table, options.to_wire())
                    .await
                    .map(Some)
            }
        }
    }

    fn shrink(&mut self, last: &Key) {
        if let Self::Ordered(options) = self {
            options.range = options.range.after(last.clone());
        }
    }
}

/// The result of `work`, or none when nobody has listened at `sink` for as long as `grace`.
async fn while_wanted<T>(sink: &Sink, grace: Duration, work: impl Future<Output = T>) -> Option<T> {
    let unwanted = async {
        sink.closed().await;
        sleep(grace).await;
    };
    tokio::select! {
        biased;
        done = work => Some(done),
        () = unwanted => None,
    }
}

fn entry_bytes(entry: &Entry) -> usize {
    let key = &entry.key;
    let parts = [&key.row, &key.family, &key.qualifier, &key.visibility];
    let key_bytes: usize = parts.into_iter().map(Bytes::len).sum();
    key_bytes.saturating_add(entry.value.len())
}
