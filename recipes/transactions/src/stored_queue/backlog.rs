//! The entries that wait in the buckets of a queue.

use fluo_engine::{Result, Snapshot, Timestamp};
use fluo_table::{Scan, Span};
use futures::TryStreamExt;

use super::StoredQueue;
use crate::telemetry::{self, OLDEST_ENTRY, WAITING};

/// The entries that wait in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BucketBacklog {
    /// The bucket, as in its rows.
    pub bucket: String,
    /// True if the queue has this bucket. If not, a program with another number of buckets has
    /// added the entries, and no worker processes them.
    pub exists: bool,
    /// The number of entries, at least one.
    pub entries: u64,
    /// The bytes of their rows and values.
    pub bytes: u64,
    /// The oldest of their sequences: the start timestamp of the transaction that added it.
    pub oldest: Timestamp,
}

impl StoredQueue {
    /// Returns the backlog of each bucket that has entries, at a snapshot, sorted by the text of
    /// the bucket. Reads all entries, one batch at a time, and sets the
    /// [gauges](crate::telemetry::METRICS) of the queue.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::scan`], and [`Corrupt`](fluo_engine::ErrorKind::Corrupt) for a row that
    /// no queue writes.
    pub async fn backlog(&self, snapshot: &Snapshot) -> Result<Vec<BucketBacklog>> {
        let prefix = self.entries_prefix();
        let scan = Scan::over(Span::prefix(prefix.clone()));
        let mut entries = self.entries(snapshot, scan);
        let mut backlog: Vec<BucketBacklog> = Vec::new();
        while let Some(entry) = entries.try_next().await? {
            let bucket = entry.bucket(prefix.as_bytes());
            let bytes = u64::try_from(entry.row.len() + entry.value.len())
                .expect("a usize has at most 64 bits");
            match backlog.last_mut().filter(|last| last.bucket == bucket) {
                Some(found) => {
                    found.entries += 1;
                    found.bytes += bytes;
                    found.oldest = found.oldest.min(entry.sequence);
                }
                None => backlog.push(BucketBacklog {
                    exists: self.buckets.has(bucket.as_bytes()),
                    bucket,
                    entries: 1,
                    bytes,
                    oldest: entry.sequence,
                }),
            }
        }
        let entries: u64 = backlog.iter().map(|bucket| bucket.entries).sum();
        let oldest = backlog.iter().map(|bucket| bucket.oldest.get()).min();
        telemetry::set(WAITING, &self.id, entries);
        telemetry::set(OLDEST_ENTRY, &self.id, oldest.unwrap_or(0));
        Ok(backlog)
    }
}
