//! A scan on the proxy: a handle that is opened, read and closed.

use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;
use tracing::debug;

use super::batch_size::Pace;
use super::ranges;
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{BatchScanOptions, Key, NextBatch, ScanOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::operations::ScannerHandle;
use crate::wire::interface as wire;

/// Maximum number of entries of a batch unless the options set another.
const BATCH_ENTRIES: usize = 1000;
/// Maximum time that a read continues after the consumer was dropped. A complete reply keeps the
/// connection usable for the next call, so a short wait is cheaper than a new connection.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) enum ScanPlan {
    /// One range, which shrinks with each batch to the rest.
    Ordered(Box<ScanOptions>),
    /// Ranges with inclusive starts and exclusive stops, none of them empty.
    Unordered(BatchScanOptions),
}

/// A scan that is open on the proxy. Dropping it closes the scan; an unclosed scan stays on the
/// proxy for ten idle minutes.
#[derive(Debug)]
pub(super) struct Cursor {
    client: ProxyClient,
    scanner: ScannerHandle,
}

impl ScanPlan {
    pub(super) fn unordered(mut options: BatchScanOptions) -> Self {
        options.ranges = options.ranges.iter().map(ranges::half_open).collect();
        options.ranges.retain(|range| !ranges::is_empty(range));
        Self::Unordered(options)
    }

    pub(super) fn pace(&self, max_reply_bytes: usize) -> Pace {
        match self {
            Self::Ordered(options) => Pace::bold(entries(options.batch_entries), max_reply_bytes),
            Self::Unordered(options) => {
                Pace::careful(entries(options.batch_entries), max_reply_bytes)
            }
        }
    }

    /// Returns `None` if there is nothing to read.
    pub(super) async fn open(&self, client: &ProxyClient, table: &str) -> Result<Option<Cursor>> {
        let (about, name) = (Some(table), table.to_owned());
        let (scanner, client) = match self {
            Self::Ordered(options) if ranges::is_empty(&options.range) => return Ok(None),
            Self::Unordered(options) if options.ranges.is_empty() => return Ok(None),
            Self::Ordered(options) => {
                let request = |token| wire::CreateScanner::new(token, name, options.to_wire());
                client.open(about, request).await?
            }
            Self::Unordered(options) => {
                let request = |token| wire::CreateBatchScanner::new(token, name, options.to_wire());
                client.open(about, request).await?
            }
        };
        let scanner = ScannerHandle::from_wire(scanner, about);
        Ok(Some(Cursor { client, scanner }))
    }

    pub(super) fn shrink(&mut self, last: &Key) {
        if let Self::Ordered(options) = self {
            options.range = options.range.after(last.clone());
        }
    }
}

impl Cursor {
    pub(super) async fn next(&self, most_entries: usize) -> Result<NextBatch> {
        let k = i32::try_from(most_entries).unwrap_or(i32::MAX);
        let next = self.client.low_level().next_k(&self.scanner, k).await;
        // The call only moves the cursor, which no other client uses.
        next.map_err(|error| error.with_possible_effect(false))
    }

    /// Checks whether the scan can be opened again after an error of [`next`](Self::next), perhaps
    /// at another proxy.
    pub(super) fn may_reopen(&self, error: &Error) -> bool {
        error.is_break() || error.kind() == ErrorKind::TimedOut && self.client.is_replaced()
    }
}

impl Drop for Cursor {
    /// Closes the scan in a separate task, because the owner needs no result and cannot handle a
    /// failure.
    fn drop(&mut self) {
        // A close needs a runtime; without it the proxy drops the idle scan by itself.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (client, scanner) = (self.client.clone(), self.scanner.clone());
        runtime.spawn(async move {
            if let Err(error) = client.low_level().close_scanner(&scanner).await {
                debug!(%error, "a scanner was not closed; the proxy drops it after an idle time");
            }
        });
    }
}

pub(super) fn entries(option: Option<NonZeroUsize>) -> usize {
    option.map_or(BATCH_ENTRIES, NonZeroUsize::get)
}

/// Returns the result of a read, or `None` if its consumer was `dropped` some time ago.
pub(super) async fn while_wanted<T>(
    dropped: impl Future<Output = ()>,
    read: impl Future<Output = T>,
) -> Option<T> {
    let unwanted = async {
        dropped.await;
        sleep(GRACE).await;
    };
    tokio::select! {
        biased;
        done = read => Some(done),
        () = unwanted => None,
    }
}
