//! The entries that wait in the buckets of a queue.

use fluo::{Result, Snapshot, Timestamp};
use fluo_table::{Scan, Span};
use futures::TryStreamExt;

use super::StoredQueue;

/// The entries that wait in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketBacklog {
    /// The bucket, as in its rows.
    pub bucket: String,
    /// The number of entries, at least one.
    pub entries: u64,
    /// The bytes of their rows and values.
    pub bytes: u64,
    /// The oldest of their sequences: the start timestamp of the transaction that added it.
    pub oldest: Timestamp,
}

impl StoredQueue {
    /// Returns the backlog of each bucket that has entries, at a snapshot. Reads all entries, one
    /// batch at a time.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::scan`], and [`Corrupt`](fluo::ErrorKind::Corrupt) for a row that no
    /// queue writes.
    pub async fn backlog(&self, snapshot: &Snapshot) -> Result<Vec<BucketBacklog>> {
        let mut backlog = Vec::new();
        for bucket in 0..self.buckets() {
            backlog.extend(self.bucket_backlog(snapshot, bucket).await?);
        }
        Ok(backlog)
    }

    async fn bucket_backlog(
        &self,
        snapshot: &Snapshot,
        bucket: u32,
    ) -> Result<Option<BucketBacklog>> {
        let queue = &self.definition;
        let scan = Scan::over(Span::prefix(queue.bucket_row(bucket)));
        let mut entries = queue.entries(snapshot.scan(queue.select_entries(scan)));
        let mut found: Option<BucketBacklog> = None;
        while let Some(entry) = entries.try_next().await? {
            let found = found.get_or_insert_with(|| BucketBacklog {
                bucket: queue.options.buckets.text(bucket),
                entries: 0,
                bytes: 0,
                oldest: entry.sequence,
            });
            found.entries += 1;
            let bytes = entry.row.len() + entry.value.len();
            found.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
            found.oldest = found.oldest.min(entry.sequence);
        }
        Ok(found)
    }
}
