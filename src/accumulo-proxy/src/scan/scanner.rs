//! The ordered scan.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;

use super::batches::Batches;
use super::reader::{Reader, Scan};
use crate::client::ProxyClient;
use crate::data::{Entry, ScanOptions};
use crate::error::Result;

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
/// [`max_reply_bytes`](crate::ProxyOptions::max_reply_bytes). It is reopened as often as
/// [`ProxyOptions::tries`](crate::ProxyOptions::tries) allows; the count restarts after each batch.
/// No entry is repeated and none is left out. But later entries are read at a later moment, so a
/// scan that is interrupted within a row may read one part of it before a write to it and the other
/// part after. An iterator then starts in the middle of its row, as it does when a tablet moves.
///
/// # Partially read rows
///
/// A tablet server reads a scan in pieces of 1000 entries (fewer if they exceed
/// `table.scan.max.memory`), each with the state of the tablet at that moment;
/// [`batch_entries`](ScanOptions::batch_entries) does not affect this. The proxy has no isolated
/// scanner. If a row extends over two pieces, the scan may therefore read one part of it before a
/// write and the other part after, although the write was atomic. The following rows are always
/// read as a whole:
///
/// - a row that is scanned alone and fits in one piece;
/// - every row, if the scan has the iterator
///   `org.apache.accumulo.core.iterators.user.WholeRowIterator`, which combines each row into one
///   entry. A server holds the row in memory for it.
///
/// # Examples
///
/// ```no_run
/// # use accumulo_proxy::{Credentials, ProxyClient, Range, Result, ScanOptions, ProxyOptions};
/// use futures::TryStreamExt;
///
/// # async fn run() -> Result<()> {
/// let credentials = Credentials::password("root", "secret");
/// let client = ProxyClient::connect(ProxyOptions::new("localhost:42424", credentials)).await?;
/// let row = ScanOptions::default().range(Range::row("com.example"));
/// let mut scanner = client.scanner("pages", row);
/// while let Some(batch) = scanner.try_next().await? {
///     for entry in batch {
///         println!("{:?}", entry.key);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scanner {
    batches: Batches,
}

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
        let reader = Reader::new(self.clone(), table.into(), Scan::Ordered(Box::new(options)));
        Scanner { batches: Batches::new(reader) }
    }
}

impl Stream for Scanner {
    type Item = Result<Vec<Entry>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next(context)
    }
}
