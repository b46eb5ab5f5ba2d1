//! The entries of many small ranges, read as a whole.

use tokio::sync::oneshot;
use tokio::time::sleep;
use tracing::debug;

use super::batch_size::{Pace, entry_bytes};
use super::cursor::{Cursor, ScanPlan, entries, while_wanted};
use crate::client::ProxyClient;
use crate::data::{BatchScanOptions, Entry};
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface::CreateBatchScanner;

/// A lookup. A task runs it, because a dropped caller must not cancel the call that opens the
/// cursor: with its reply unread, the open cursor is unknown and cannot be closed.
struct Lookup {
    client: ProxyClient,
    table: String,
    scan: ScanPlan,
    most_entries: usize,
    most_bytes: usize,
    pace: Pace,
}

/// The result of a lookup: `None` if there is more than allowed.
type Found = Option<Vec<Entry>>;

impl ProxyClient {
    /// Returns the entries of many small ranges of a table, in the order of their keys, or `None`
    /// if there are more than `most_entries`, or if they have more than `most_bytes`.
    ///
    /// It makes the calls `createBatchScanner` and `nextK`, closes the scan afterwards, and sorts
    /// the entries. Unlike a [`BatchScanner`](crate::BatchScanner) it holds all entries in memory.
    /// So it can start again, as often as [`tries`](field@crate::ProxyOptions::tries) allows, if
    /// the connection breaks, the proxy dropped the scan, or a reply was too long. If the returned
    /// future is dropped, a call without an answer is cancelled after a second.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security) (also for an
    /// authorization that the user lacks), [`Unreachable`](ErrorKind::Unreachable)..
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub async fn lookup(
        &self,
        table: impl Into<String>,
        options: BatchScanOptions,
        most_entries: usize,
        most_bytes: usize,
    ) -> Result<Option<Vec<Entry>>> {
        let table = table.into();
        let reason = "the task that reads ended: its runtime was shut down, or it panicked";
        let call = CreateBatchScanner::NAME;
        let cut_off = self.error(ErrorKind::Unreachable, call, Some(&table), reason);
        // A proxy that has exactly as many entries as requested does not say that it has no more.
        let batch = entries(options.batch_entries).min(most_entries.saturating_add(1));
        let mut lookup = Lookup {
            client: self.clone(),
            table,
            scan: ScanPlan::unordered(options),
            most_entries,
            most_bytes,
            pace: Pace::whole(batch, self.options().max_reply_bytes),
        };
        let (mut answer, found) = oneshot::channel();
        tokio::spawn(async move {
            let found = lookup.find(&mut answer).await;
            // The caller may be gone.
            let _ = answer.send(found);
        });
        found.await.unwrap_or(Err(cut_off))
    }
}

impl Lookup {
    async fn find(&mut self, answer: &mut oneshot::Sender<Result<Found>>) -> Result<Found> {
        let mut pauses = self.client.options().pauses();
        loop {
            let Some(cursor) = self.scan.open(&self.client, &self.table).await? else {
                return Ok(Some(Vec::new()));
            };
            let read = while_wanted(answer.closed(), self.read(&cursor)).await;
            let error = match read {
                Some(Ok(found)) => return Ok(found),
                Some(Err(error)) => error,
                None => return Ok(None),
            };
            debug!(%error, "a lookup broke");
            if error.is_reply_too_large() && self.pace.shrink() {
                continue;
            }
            match pauses.next() {
                Some(pause) if cursor.may_reopen(&error) => {
                    drop(cursor);
                    sleep(pause).await;
                }
                _ => return Err(error),
            }
        }
    }

    async fn read(&self, cursor: &Cursor) -> Result<Found> {
        let (mut found, mut bytes, mut pace) = (Vec::new(), 0_usize, self.pace);
        loop {
            let batch = cursor.next(pace.entries()).await?;
            let sizes: Vec<usize> = batch.entries.iter().map(entry_bytes).collect();
            bytes = bytes.saturating_add(sizes.iter().sum());
            pace.learn(sizes.into_iter());
            found.extend(batch.entries);
            if found.len() > self.most_entries || bytes > self.most_bytes {
                return Ok(None);
            }
            if !batch.more {
                break;
            }
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Some(found))
    }
}
