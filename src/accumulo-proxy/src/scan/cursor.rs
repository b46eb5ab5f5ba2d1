//! A scan on the proxy: a handle that is opened, read and closed.

use tracing::debug;

use crate::client::ProxyClient;
use crate::convert::{Meaningless, all_from_wire, present};
use crate::data::Entry;
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;

/// A scan that is open on the proxy. It must be [closed](Self::close); otherwise the proxy keeps it
/// for ten idle minutes.
#[derive(Debug)]
pub(super) struct Cursor {
    client: ProxyClient,
    table: String,
    handle: String,
}

/// The entries of one reply.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    /// `true` if there may be more entries, which the proxy reports for every full batch.
    pub(super) has_more: bool,
}

impl Cursor {
    pub(super) async fn ordered(
        client: &ProxyClient,
        table: &str,
        options: wire::ScanOptions,
    ) -> Result<Self> {
        let token = client.token().await?;
        let request = wire::CreateScannerRequest::new(token, table.to_owned(), options);
        let handle = client.call(Some(table), request).await?;
        Ok(Self::new(client, table, handle))
    }

    pub(super) async fn unordered(
        client: &ProxyClient,
        table: &str,
        options: wire::BatchScanOptions,
    ) -> Result<Self> {
        let token = client.token().await?;
        let request = wire::CreateBatchScannerRequest::new(token, table.to_owned(), options);
        let handle = client.call(Some(table), request).await?;
        Ok(Self::new(client, table, handle))
    }

    fn new(client: &ProxyClient, table: &str, handle: String) -> Self {
        Self {
            client: client.clone(),
            table: table.to_owned(),
            handle,
        }
    }

    /// Reads the next entries, at most `most_entries`.
    pub(super) async fn next(&self, most_entries: usize) -> Result<Batch> {
        let k = i32::try_from(most_entries).unwrap_or(i32::MAX);
        let request = wire::NextKRequest::new(self.handle.clone(), k);
        let result = self.client.call(Some(&self.table), request).await;
        // The call only moves the cursor, which no other client uses.
        let result = result.map_err(|error| error.with_possible_effect(false))?;
        read(result).map_err(|reason| {
            let call = wire::NextKRequest::NAME;
            self.client
                .error(ErrorKind::Protocol, call, Some(&self.table), reason)
        })
    }

    /// Closes the scan in a separate task, because the caller needs no result and cannot handle a
    /// failure.
    pub(super) fn close(self) {
        tokio::spawn(async move {
            let request = wire::CloseScannerRequest::new(self.handle);
            if let Err(error) = self.client.call(Some(&self.table), request).await {
                debug!(%error, "a scanner was not closed; the proxy drops it after an idle time");
            }
        });
    }
}

fn read(result: wire::ScanResult) -> std::result::Result<Batch, Meaningless> {
    Ok(Batch {
        entries: all_from_wire(present(result.results, "results")?)?,
        has_more: present(result.more, "more")?,
    })
}
