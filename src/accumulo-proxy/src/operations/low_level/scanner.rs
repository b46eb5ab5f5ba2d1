//! Scanners by their handles.

use super::{LowLevel, ScannerHandle};
use crate::convert::{FromWire, Meaningless, all_from_wire, present};
use crate::data::Entry;
use crate::error::Result;
use crate::scan::{BatchScanOptions, ScanOptions};
use crate::wire::interface as wire;

/// The result of [`next_k`](LowLevel::next_k).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextBatch {
    /// The entries.
    pub entries: Vec<Entry>,
    /// `true` if there may be more entries: whenever the batch has exactly the requested number
    /// of entries.
    pub more: bool,
}

impl LowLevel<'_> {
    /// Opens a scanner (`createScanner`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`Security`](crate::ErrorKind::Security).
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

    /// Opens a batch scanner (`createBatchScanner`). The proxy always includes the start of each
    /// range and excludes its stop, regardless of the range.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`Security`](crate::ErrorKind::Security).
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

    /// Checks whether there is another entry (`hasNext`).
    ///
    /// # Errors
    ///
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired).
    pub async fn has_next(&self, scanner: &ScannerHandle) -> Result<bool> {
        let request = wire::HasNextRequest::new(scanner.to_wire());
        self.client.call(Some(&scanner.subject()), request).await
    }

    /// Returns the next entry, and whether there is another after it (`nextEntry`). Sent once,
    /// because it advances the scanner.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if there is no further entry,
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

    /// Returns the next entries, at most `k` (`nextK`). Sent once, because it advances the scanner.
    ///
    /// # Errors
    ///
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
    ///
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired) if it is already closed.
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
