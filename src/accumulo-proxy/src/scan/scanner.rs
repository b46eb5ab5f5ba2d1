//! The ordered scan.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;

use super::batches::Batches;
use super::options::ScanOptions;
use super::reader::{Reader, Scan};
use crate::client::ProxyClient;
use crate::data::Entry;
use crate::error::Result;

/// The entries of a range, in the order of their keys: a stream of batches, none of them empty.
///
/// - It is opened at the first poll. From the second on it reads one batch ahead while the consumer works on the one
///   before.
/// - It is read by a task on the runtime on which it was made. When that runtime is shut down before the end of the scan,
///   the next item is an error: [`Gone`](crate::ErrorKind::Gone).
/// - After an error it ends.
/// - Dropped, at any point, it closes what it holds on the proxy.
///
/// # Going on after a break
/// When the connection breaks, the proxy is restarted, the proxy forgot the scan (ten idle minutes), or a reply was
/// longer than [`max_reply_bytes`](crate::Settings::max_reply_bytes), the scan is opened again after the last key
/// that came, as often as [`Settings::retry`](crate::Settings::retry) allows; the tries count anew after each batch. No
/// entry comes twice and none is left out. But what comes later is read at a later moment, so a row that the break
/// fell into may be seen in part before and in part after a write to it. An iterator is started in the middle of its
/// row then, as it is when a tablet moves.
///
/// # What is seen half
/// A tablet server reads a scan in pieces of 1000 entries (fewer, where those take `table.scan.max.memory`), each as
/// the tablet is at that moment; [`batch_entries`](ScanOptions::batch_entries) changes nothing about it. The proxy has no
/// isolated scanner. So a row that lies across two pieces may be seen in part before and in part after a write to
/// it, though the write was atomic. Seen whole is
/// - a row that is read alone and fits in one piece;
/// - every row, with the iterator `org.apache.accumulo.core.iterators.user.WholeRowIterator` on the scan, which makes
///   one entry of a row. A server holds the row in memory for it.
///
/// ```no_run
/// # use accumulo_proxy::{Credentials, ProxyClient, Range, Result, ScanOptions, Settings};
/// use futures::TryStreamExt;
///
/// # async fn run() -> Result<()> {
/// let client = ProxyClient::connect(Settings::new("localhost:42424", Credentials::password("root", "secret"))).await?;
/// let mut scanner = client.scanner("pages", ScanOptions::default().range(Range::row("com.example")));
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
    /// The entries of a range of a table, in the order of their keys. Nothing is asked before the first poll; what
    /// can go wrong comes as an item of the stream: [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`Security`](crate::ErrorKind::Security) (an authorization that the user has not, too)..
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn scanner(&self, table: impl Into<String>, options: ScanOptions) -> Scanner {
        let reader = Reader::new(self.clone(), table.into(), Scan::Ordered(Box::new(options)));
        Scanner {
            batches: Batches::new(reader),
        }
    }
}

impl Stream for Scanner {
    type Item = Result<Vec<Entry>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next(context)
    }
}
