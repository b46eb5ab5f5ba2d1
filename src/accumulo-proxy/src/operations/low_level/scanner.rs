//! Scanners by their handles.

use super::{LowLevel, ScannerHandle};
use crate::convert::{FromWire, Meaningless, all_from_wire, present};
use crate::data::Entry;
use crate::error::Result;
use crate::scan::{BatchScanOptions, ScanOptions};
use crate::wire::generated as wire;

/// What [`next_k`](LowLevel::next_k) gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextBatch {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Whether there may be more: true whenever exactly as many came as were asked for.
    pub more: bool,
}

impl LowLevel<'_> {
    /// Opens a scanner (`createScanner`).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security).
    pub async fn create_scanner(
        &self,
        table: &str,
        options: &ScanOptions,
    ) -> Result<ScannerHandle> {
        let request =
            |token| wire::CreateScannerRequest::new(token, table.to_owned(), options.to_wire());
        self.client
            .ask(Some(table), request)
            .await
            .map(|handle| ScannerHandle::of_table(handle, table))
    }

    /// Opens a batch scanner (`createBatchScanner`). The start of each range is inclusive and its stop is exclusive,
    /// whatever the range says: this is the proxy's doing.
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security).
    pub async fn create_batch_scanner(
        &self,
        table: &str,
        options: &BatchScanOptions,
    ) -> Result<ScannerHandle> {
        let request = |token| {
            wire::CreateBatchScannerRequest::new(token, table.to_owned(), options.to_wire())
        };
        self.client
            .ask(Some(table), request)
            .await
            .map(|handle| ScannerHandle::of_table(handle, table))
    }

    /// Whether there is another entry (`hasNext`).
    ///
    /// # Errors
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired).
    pub async fn has_next(&self, scanner: &ScannerHandle) -> Result<bool> {
        let request = wire::HasNextRequest::new(scanner.to_wire());
        self.client.call(Some(&scanner.subject()), request).await
    }

    /// The next entry, and whether there is another after it (`nextEntry`). Sent once: it moves on.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) where there is none left,
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired). Any other error of the scan closes it.
    pub async fn next_entry(&self, scanner: &ScannerHandle) -> Result<(Entry, bool)> {
        type Request = wire::NextEntryRequest;
        let subject = scanner.subject();
        let subject = Some(subject.as_str());
        let next = self
            .client
            .call(subject, Request::new(scanner.to_wire()))
            .await?;
        self.client.meaning::<Request, _>(subject, entry(next))
    }

    /// The next entries, at most `k` (`nextK`). Sent once: it moves on.
    ///
    /// # Errors
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired). Any other error of the scan closes it.
    pub async fn next_k(&self, scanner: &ScannerHandle, k: i32) -> Result<NextBatch> {
        type Request = wire::NextKRequest;
        let subject = scanner.subject();
        let subject = Some(subject.as_str());
        let next = self
            .client
            .call(subject, Request::new(scanner.to_wire(), k))
            .await?;
        self.client.meaning::<Request, _>(subject, batch(next))
    }

    /// Closes a scanner or batch scanner (`closeScanner`).
    ///
    /// # Errors
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired) where it is closed already.
    pub async fn close_scanner(&self, scanner: &ScannerHandle) -> Result<()> {
        let request = wire::CloseScannerRequest::new(scanner.to_wire());
        self.client.call(Some(&scanner.subject()), request).await
    }
}

fn entry(next: wire::KeyValueAndPeek) -> Result<(Entry, bool), Meaningless> {
    let entry = Entry::from_wire(present(next.key_value, "keyValue")?)?;
    Ok((entry, present(next.has_next, "hasNext")?))
}

fn batch(next: wire::ScanResult) -> Result<NextBatch, Meaningless> {
    Ok(NextBatch {
        entries: all_from_wire(present(next.results, "results")?)?,
        more: present(next.more, "more")?,
    })
}
