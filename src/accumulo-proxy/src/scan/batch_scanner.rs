//! The unordered scan of many ranges.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;

use super::batches::Batches;
use super::reader::{Reader, Scan};
use crate::client::ProxyClient;
use crate::data::{BatchScanOptions, Entry};
use crate::error::Result;

/// A stream of the entries of many ranges, in no order, as non-empty batches.
///
/// - The scan is opened at the first poll. From the second poll on it reads one batch ahead while
///   the consumer processes the previous one.
/// - A task reads the scan, on the runtime on which the scanner was created. If that runtime shuts
///   down before the end of the scan, the next item is an error:
///   [`Unreachable`](crate::ErrorKind::Unreachable).
/// - The stream ends after an error. Without an order the rest of the scan is unknown, so the scan
///   does not resume after a break as a [`Scanner`](crate::Scanner) does: start it again.
/// - The scan must therefore never request more than fits in a reply, although it does not know the
///   size of the next entries. It limits each request so that
///   [`max_reply_bytes`](crate::ProxyOptions::max_reply_bytes) suffices if each entry is as large
///   as the largest before, or has 256 KiB: at most 256 entries with the default. If still larger
///   entries follow, the error says so, and a smaller
///   [`batch_entries`](BatchScanOptions::batch_entries) helps.
/// - Dropping the scanner closes the scan on the proxy, at any point.
/// - Inclusive and exclusive bounds of ranges are respected, although the proxy takes every start
///   as inclusive and every stop as exclusive: both are translated. Accumulo merges overlapping
///   ranges: an entry is returned once.
/// - A row may be [read partially](crate::Scanner#partially-read-rows).
#[derive(Debug)]
pub struct BatchScanner {
    batches: Batches,
}

impl ProxyClient {
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
        let reader = Reader::new(self.clone(), table.into(), Scan::Unordered(options));
        BatchScanner { batches: Batches::new(reader) }
    }
}

impl Stream for BatchScanner {
    type Item = Result<Vec<Entry>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next(context)
    }
}
