//! The streams of entries: of one range in order, and of many ranges.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::cursor::ScanPlan;
use super::reader::{Item, Reader};
use crate::client::ProxyClient;
use crate::data::{BatchScanOptions, Entry, ScanOptions};
use crate::error::{Error, Result};

/// Number of batches that wait for the consumer.
const AHEAD: usize = 1;

/// A stream of the entries of a range, in the order of their keys, as non-empty batches.
///
/// - The scan is opened at the first poll. From the second poll on it reads one batch ahead while
///   the consumer processes the previous one.
/// - A task reads the scan, on the runtime on which the scanner was created. If that runtime shuts
///   down before the end of the scan, the next item is an error:
///   [`Unreachable`](crate::ErrorKind::Unreachable).
/// - The stream ends after an error.
/// - Dropping the scanner closes the scan on the proxy, at any point.
///
/// # Resuming after a break
///
/// The scan is reopened after the last received key if the connection breaks, the proxy is
/// restarted, the proxy dropped the scan (ten idle minutes), or a reply was longer than
/// [`max_reply_bytes`](field@crate::ProxyOptions::max_reply_bytes). It is reopened as often as the
/// [`tries`](field@crate::ProxyOptions::tries) of the client allow; the count restarts after each
/// batch. No entry is repeated and none is left out. But later entries are read at a later moment,
/// so a scan that is interrupted within a row may read one part of it before a write to it and the
/// other part after. An iterator then starts in the middle of its row, as it does when a tablet
/// moves.
///
/// # Partially read rows
///
/// A tablet server reads a scan in pieces of 1000 entries (fewer if they exceed
/// `table.scan.max.memory`), each with the state of the tablet at that moment;
/// [`batch_entries`](field@ScanOptions::batch_entries) does not affect this. The proxy has no
/// isolated scanner. If a row extends over two pieces, the scan may therefore read one part of it
/// before a write and the other part after, although the write was atomic. The following rows are
/// always read as a whole:
///
/// - a row that is scanned alone and fits in one piece;
/// - every row, if the scan has the iterator
///   `org.apache.accumulo.core.iterators.user.WholeRowIterator`, which combines each row into one
///   entry. A server holds the row in memory for it.
#[derive(Debug)]
pub struct Scanner {
    /// The task, before the first poll.
    unopened: Option<(Handle, Box<Reader>, mpsc::Sender<Item>)>,
    /// Dropping this ends the task.
    items: mpsc::Receiver<Item>,
    has_first: bool,
    is_ended: bool,
    /// Notifies the task that more than the first batch is needed.
    more: Option<oneshot::Sender<()>>,
    /// The error if the task ends without a last item: otherwise a part of the table would pass for
    /// the whole.
    cut_off: Error,
}

/// A stream of the entries of many ranges, in no order, as non-empty batches. It is opened, reads
/// ahead, ends after an error and is closed like a [`Scanner`], and depends on its runtime in the
/// same way. These rules are different:
///
/// - Without an order the rest of the scan is unknown, so the scan does not resume after a break:
///   start it again.
/// - The scan must therefore never request more than fits in a reply, although it does not know the
///   size of the next entries. It limits each request so that
///   [`max_reply_bytes`](field@crate::ProxyOptions::max_reply_bytes) suffices if each entry is as
///   large as the largest before, or has 256 KiB: at most 256 entries with the default. If still
///   larger entries follow, the error says so, and a smaller
///   [`batch_entries`](field@BatchScanOptions::batch_entries) helps.
/// - Inclusive and exclusive bounds of ranges are respected, although the proxy takes every start
///   as inclusive and every stop as exclusive: both are translated. Accumulo merges overlapping
///   ranges: an entry is returned once.
/// - A row may be [read partially](crate::Scanner#partially-read-rows).
#[derive(Debug)]
pub struct BatchScanner(Scanner);

impl ProxyClient {
    /// Scans the entries of a range of a table, in the order of their keys. Makes no call before
    /// the first poll. Errors are items of the stream:
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security)
    /// (also for an authorization that the user lacks)..
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub fn scanner(&self, table: impl Into<String>, options: ScanOptions) -> Scanner {
        self.scan(table.into(), ScanPlan::Ordered(Box::new(options)))
    }

    /// Scans the entries of many ranges of a table, in no order. Makes no call before the first
    /// poll. Errors are items of the stream: [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`Security`](crate::ErrorKind::Security) (also for an authorization that the user lacks)..
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub fn batch_scanner(
        &self,
        table: impl Into<String>,
        options: BatchScanOptions,
    ) -> BatchScanner {
        BatchScanner(self.scan(table.into(), ScanPlan::unordered(options)))
    }

    fn scan(&self, table: String, scan: ScanPlan) -> Scanner {
        let (sink, items) = mpsc::channel(AHEAD);
        let (more, needs_more) = oneshot::channel();
        let reader = Reader::new(self.clone(), table, scan, needs_more);
        Scanner {
            cut_off: reader.cut_off(),
            unopened: Some((Handle::current(), Box::new(reader), sink)),
            items,
            has_first: false,
            is_ended: false,
            more: Some(more),
        }
    }
}

impl Stream for Scanner {
    type Item = Result<Vec<Entry>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some((runtime, reader, sink)) = self.unopened.take() {
            runtime.spawn(reader.run(sink));
        }
        if self.is_ended {
            return Poll::Ready(None);
        }
        if self.has_first
            && let Some(more) = self.more.take()
        {
            // A task that has ended needs no notification.
            let _ = more.send(());
        }
        let item = ready!(self.items.poll_recv(context));
        let item = item.unwrap_or_else(|| Err(self.cut_off.clone())).transpose();
        self.has_first = true;
        self.is_ended = !matches!(item, Some(Ok(_)));
        Poll::Ready(item)
    }
}

impl Stream for BatchScanner {
    type Item = Result<Vec<Entry>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.0).poll_next(context)
    }
}
