//! A scan on the proxy: a handle that is opened, read and closed.

use tracing::debug;

use crate::client::ProxyClient;
use crate::data::{BatchScanOptions, ScanOptions};
use crate::error::Result;
use crate::operations::{NextBatch, ScannerHandle};

/// A scan that is open on the proxy. It must be [closed](Self::close); otherwise the proxy keeps it
/// for ten idle minutes.
#[derive(Debug)]
pub(super) struct Cursor {
    client: ProxyClient,
    scanner: ScannerHandle,
}

impl Cursor {
    pub(super) async fn ordered(
        client: &ProxyClient,
        table: &str,
        options: &ScanOptions,
    ) -> Result<Self> {
        let scanner = client.low_level().create_scanner(table, options).await?;
        let client = client.clone();
        Ok(Self { client, scanner })
    }

    pub(super) async fn unordered(
        client: &ProxyClient,
        table: &str,
        options: &BatchScanOptions,
    ) -> Result<Self> {
        let low_level = client.low_level();
        let scanner = low_level.create_batch_scanner(table, options).await?;
        let client = client.clone();
        Ok(Self { client, scanner })
    }

    /// Reads the next entries, at most `most_entries`.
    pub(super) async fn next(&self, most_entries: usize) -> Result<NextBatch> {
        let k = i32::try_from(most_entries).unwrap_or(i32::MAX);
        let next = self.client.low_level().next_k(&self.scanner, k).await;
        // The call only moves the cursor, which no other client uses.
        next.map_err(|error| error.with_possible_effect(false))
    }

    /// Closes the scan in a separate task, because the caller needs no result and cannot handle a
    /// failure.
    pub(super) fn close(self) {
        tokio::spawn(async move {
            let low_level = self.client.low_level();
            if let Err(error) = low_level.close_scanner(&self.scanner).await {
                debug!(%error, "a scanner was not closed; the proxy drops it after an idle time");
            }
        });
    }
}
