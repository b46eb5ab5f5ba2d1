//! The unordered scan of many ranges.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;

use super::batches::Batches;
use super::options::BatchScanOptions;
use super::reader::{Reader, Scan};
use crate::client::ProxyClient;
use crate::data::Entry;
use crate::error::Result;

/// The entries of many ranges, in no order: a stream of batches, none of them empty.
///
/// - It is opened at the first poll. From the second on it reads one batch ahead while the consumer works on the one
///   before.
/// - It is read by a task on the runtime on which it was made. When that runtime is shut down before the end of the scan,
///   the next item is an error: [`Gone`](crate::ErrorKind::Gone).
/// - After an error it ends. Without an order nobody can tell what is left, so it does not go on after a break, as a
///   [`Scanner`](crate::Scanner) does: start again.
/// - So it must not ask for more than a reply may hold, and nobody knows the size of what comes. It asks for so many
///   entries at most that [`max_reply_bytes`](crate::Settings::max_reply_bytes) has room for them if each is as large as the
///   largest before, or of 256 KiB: at most 256 with the default. Where entries that are larger still follow, its error
///   says so, and a smaller [`batch_entries`](BatchScanOptions::batch_entries) helps.
/// - Dropped, at any point, it closes what it holds on the proxy.
/// - Ranges mean what they say, though the proxy takes every start as inclusive and every stop as exclusive: both
///   are translated. Ranges that overlap are merged by Accumulo: an entry comes once.
/// - A row may be [seen half](crate::Scanner#what-is-seen-half).
#[derive(Debug)]
pub struct BatchScanner {
    batches: Batches,
}

impl ProxyClient {
    /// The entries of many ranges of a table, in no order. Nothing is asked before the first poll; what can go wrong
    /// comes as an item of the stream: [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`Security`](crate::ErrorKind::Security) (an authorization that the user has not, too)..
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn batch_scanner(
        &self,
        table: impl Into<String>,
        options: BatchScanOptions,
    ) -> BatchScanner {
        let reader = Reader::new(self.clone(), table.into(), Scan::Unordered(options));
        BatchScanner {
            batches: Batches::new(reader),
        }
    }
}

impl Stream for BatchScanner {
    type Item = Result<Vec<Entry>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next(context)
    }
}
