//! Reads of the entries that wait in a queue, as far as a limit allows.
//!
//! One scan passes over all buckets. It skips the rest of a bucket that has more entries than its
//! share of one half of the limit; a healthy queue has no such bucket. The other half of the limit
//! then reads some of these buckets to their ends. They are chosen from the whole queue, because
//! the same workers process neighbors.

use std::num::NonZeroUsize;

use fluo_engine::{Bytes, Result, Snapshot};
use fluo_table::{Key, Scan, Span};
use futures::TryStreamExt;

use super::StoredQueue;
use super::backlog::{Backlog, BucketBacklog, Found};
use crate::queue::Entry;
use crate::telemetry;

const BATCH: usize = 1_000;
const SMALLEST_BATCH: usize = 50;

impl StoredQueue {
    /// Returns the backlog of the queue at a snapshot. Reads all entries, one batch at a time.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::scan`], and [`Corrupt`](fluo_engine::ErrorKind::Corrupt) for a row that
    /// no queue writes.
    pub async fn backlog(&self, snapshot: &Snapshot) -> Result<Backlog> {
        self.estimate_backlog(snapshot, u64::MAX).await
    }

    /// Returns the backlog of the queue at a snapshot, like [`backlog`](Self::backlog), but counts
    /// at most `max_entries`, and reads at most about 50 more of each bucket. If there are more
    /// entries, the [numbers](Backlog) are estimates. Use at least ten times the number of buckets.
    ///
    /// # Errors
    ///
    /// Those of [`backlog`](Self::backlog).
    pub async fn estimate_backlog(&self, snapshot: &Snapshot, max_entries: u64) -> Result<Backlog> {
        let share = max_entries / 2 / u64::from(self.buckets());
        let mut reader = Reader {
            queue: self,
            snapshot,
            prefix: Bytes::from(self.entries_prefix()),
            left: max_entries,
            found: Vec::new(),
        };
        reader.read_the_start_of_all(share.max(1)).await?;
        reader.read_the_rest_of_some().await?;
        let mut backlog = Backlog::new(reader.found);
        backlog.read_ages(snapshot).await;
        Ok(backlog)
    }

    /// Adds the [counters](crate::telemetry::METRICS) of processed entries and of dead letters of
    /// the queue with the value 0, so that their increase includes the first count.
    pub fn start_counters(&self) {
        telemetry::start_counters(&self.id);
    }

    /// Sets the [gauges](crate::telemetry::METRICS) of the queue to a backlog, for one process of
    /// the application that reads it again and again.
    pub fn set_gauges(&self, backlog: &Backlog) {
        telemetry::set_backlog(&self.id, backlog);
    }

    /// Sets the gauges of the queue to NaN, for a process that does not read its backlog any more.
    pub fn clear_gauges(&self) {
        telemetry::clear_backlog(&self.id);
    }
}

struct Reader<'a> {
    queue: &'a StoredQueue,
    snapshot: &'a Snapshot,
    prefix: Bytes,
    /// The number of entries that may still be counted.
    left: u64,
    found: Vec<Found>,
}

impl Reader<'_> {
    /// Reads all buckets, and at most `share` entries of each.
    async fn read_the_start_of_all(&mut self, share: u64) -> Result<()> {
        let mut span = Span::prefix(self.prefix.clone());
        'scans: loop {
            let scan = Scan::over(span.clone()).batch_cells(batch_of(share));
            let mut entries = self.queue.entries(self.snapshot, scan);
            while let Some(entry) = entries.try_next().await? {
                let bucket = entry.bucket(&self.prefix);
                let last = self.found.last_mut();
                let is_cut = match last.filter(|last| last.backlog.bucket == bucket) {
                    Some(last) if last.backlog.entries == share || self.left == 0 => true,
                    Some(last) => {
                        last.add(&entry);
                        false
                    }
                    None => {
                        let exists = self.queue.buckets.has(bucket.as_bytes());
                        self.found.push(Found::new(bucket.clone(), exists, &entry));
                        self.left == 0
                    }
                };
                if !is_cut {
                    self.left = self.left.saturating_sub(1);
                    continue;
                }
                if let Some(last) = self.found.last_mut() {
                    last.is_large = true;
                    last.backlog.is_complete = false;
                }
                if self.left == 0 {
                    return Ok(());
                }
                let behind = Span::prefix(entry.bucket_row()).end().cloned();
                let behind = behind.unwrap_or_else(|| span.start().clone());
                span = Span::between(behind, span.end().cloned());
                continue 'scans;
            }
            return Ok(());
        }
    }

    /// Reads large buckets to their ends, those of the queue first.
    async fn read_the_rest_of_some(&mut self) -> Result<()> {
        let large = self.found.iter_mut().filter(|found| found.is_large);
        let (here, foreign): (Vec<_>, Vec<_>) = large.partition(|found| found.backlog.exists);
        for found in spread(here).into_iter().chain(foreign) {
            if self.left == 0 {
                return Ok(());
            }
            let after = Span::row(found.row.clone()).end().cloned();
            let after = after.unwrap_or_else(|| Key::first_of_row(found.row.clone()));
            let bucket = Span::prefix(found.bucket_row.clone());
            let rest = Scan::over(bucket).starting_at(&after).batch_cells(batch_of(self.left));
            let mut entries = self.queue.entries(self.snapshot, rest);
            loop {
                let Some(entry) = entries.try_next().await? else { break };
                if self.left == 0 {
                    return Ok(());
                }
                found.add(&entry);
                self.left -= 1;
            }
            found.backlog.is_complete = true;
        }
        Ok(())
    }
}

/// Returns the size of the batches for a number of entries, and one more that shows that there are
/// more.
fn batch_of(entries: u64) -> NonZeroUsize {
    let batch = usize::try_from(entries.saturating_add(1)).unwrap_or(BATCH);
    let batch = batch.clamp(SMALLEST_BATCH, BATCH);
    NonZeroUsize::new(batch).unwrap_or(NonZeroUsize::MIN)
}

impl Found {
    /// Creates a bucket with one entry.
    fn new(bucket: String, exists: bool, entry: &Entry) -> Self {
        let (is_complete, oldest) = (true, entry.sequence);
        let backlog = BucketBacklog {
            bucket,
            exists,
            is_complete,
            entries: 0,
            bytes: 0,
            oldest,
            oldest_age: None,
        };
        let (bucket_row, row) = (entry.bucket_row(), entry.row.clone());
        let mut found = Self { backlog, is_large: false, bucket_row, row };
        found.add(entry);
        found
    }

    fn add(&mut self, entry: &Entry) {
        let Self { backlog, row, .. } = self;
        row.clone_from(&entry.row);
        backlog.entries += 1;
        backlog.bytes += u64::try_from(entry.row.len() + entry.value.len()).unwrap_or(u64::MAX);
        backlog.oldest = backlog.oldest.min(entry.sequence);
    }
}

/// Reorders the values so that every prefix is spread evenly, by the multiples of the golden ratio,
/// each without its integer part.
fn spread<T>(values: Vec<T>) -> Vec<T> {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut keyed: Vec<_> = values.into_iter().enumerate().collect();
    keyed.sort_by_key(|(index, _)| u64::try_from(*index).unwrap_or(u64::MAX).wrapping_mul(GOLDEN));
    keyed.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn the_beginnings_of_an_order_are_spread() {
        for count in [1_usize, 2, 3, 16, 119, 256] {
            let order = spread((0..count).collect());
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..count).collect::<Vec<_>>());
            for taken in 1..=count {
                let mut some = order[..taken].to_vec();
                some.extend([0, count]);
                some.sort_unstable();
                let gap = some.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
                assert!(gap <= 4 * count.div_ceil(taken), "{gap} of {count} after {taken}");
            }
        }
    }
}
