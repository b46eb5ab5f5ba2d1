//! The entries that wait in the buckets of a queue: their number, or an estimate of it.

use std::fmt;
use std::time::Duration;

use fluo_engine::{Bytes, Snapshot, Timestamp};

/// The smallest number of large buckets from which others are estimated.
const SMALLEST_SAMPLE: usize = 3;

/// The entries that wait in a queue.
///
/// If entries were left unread, `entries` and `bytes` are estimates. The buckets of a queue divide
/// its keys by their hash, so a large bucket that was read to its end says how many entries another
/// one has. A large bucket that was not counts as the mean of those that were, or as what was read
/// of it, if that is more. Fewer than three are no sample, and then there is a lower bound.
///
/// The mean of k buckets of about the same size is off by about their spread divided by the square
/// root of k. Few keys with most of the entries make the buckets unequal: a bucket with such a key
/// counts as much as was read of it, so the estimate is then too low.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// The number of entries, according to `accuracy`.
    pub entries: u64,
    /// The bytes of their rows and values, according to `accuracy`.
    pub bytes: u64,
    /// The accuracy of `entries` and `bytes`.
    pub accuracy: Accuracy,
    /// The oldest sequence of the entries that were read. An unread one may be older.
    pub oldest: Option<Timestamp>,
    /// A lower bound of the time since the transaction with this sequence began, with the error of
    /// a [`Timeline`](fluo_table::coordination::Timeline). `None` if it is not known.
    pub oldest_age: Option<Duration>,
    /// The number of large buckets: those of the queue with more entries than their share of one
    /// half of the limit.
    pub large_buckets: u32,
    /// The number of large buckets that were read to their ends. An estimate is extrapolated from
    /// them.
    pub sampled_buckets: u32,
    /// The buckets in which entries were found, sorted by their text.
    pub buckets: Vec<BucketBacklog>,
}

/// The accuracy of a number of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accuracy {
    /// All entries were read.
    Exact,
    /// The entries of some buckets were read, and those of other ones estimated from them.
    Estimate,
    /// There are at least as many entries: too few large buckets were read to their ends.
    LowerBound,
}

/// The entries that wait in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BucketBacklog {
    /// The bucket, as in its rows.
    pub bucket: String,
    /// True if the queue has this bucket. If not, a program with another number of buckets has
    /// added the entries, and no worker processes them.
    pub exists: bool,
    /// True if all entries of the bucket were read. If not, it may have more.
    pub is_complete: bool,
    /// The number of entries that were read, at least one.
    pub entries: u64,
    /// The bytes of their rows and values.
    pub bytes: u64,
    /// The oldest of their sequences: the start timestamp of the transaction that added it.
    pub oldest: Timestamp,
    /// The time since that transaction began, as [`Backlog::oldest_age`].
    pub oldest_age: Option<Duration>,
}

/// Writes `exact`, `estimate` or `lower bound`.
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Estimate => "estimate",
            Self::LowerBound => "lower bound",
        })
    }
}

impl Backlog {
    /// Sums up the buckets in which entries were found.
    pub(super) fn new(found: Vec<Found>) -> Self {
        let is_exact = found.iter().all(|found| found.backlog.is_complete);
        let (large, others): (Vec<_>, Vec<_>) =
            found.iter().partition(|found| found.is_large && found.backlog.exists);
        let (sampled, cut): (Vec<_>, Vec<_>) =
            large.iter().partition(|found| found.backlog.is_complete);
        let is_estimate = !cut.is_empty() && sampled.len() >= SMALLEST_SAMPLE;
        let estimate = |of: fn(&BucketBacklog) -> u64| {
            let sum = |some: &[&Found]| some.iter().map(|found| of(&found.backlog)).sum::<u64>();
            let mean = match is_estimate {
                true => sum(&sampled) / u64::from(count_of(&sampled)).max(1),
                false => 0,
            };
            let cut: u64 = cut.iter().map(|found| of(&found.backlog).max(mean)).sum();
            sum(&others) + sum(&sampled) + cut
        };
        Self {
            entries: estimate(|bucket| bucket.entries),
            bytes: estimate(|bucket| bucket.bytes),
            accuracy: match (is_exact, is_estimate) {
                (true, _) => Accuracy::Exact,
                (false, true) => Accuracy::Estimate,
                (false, false) => Accuracy::LowerBound,
            },
            oldest: found.iter().map(|found| found.backlog.oldest).min(),
            oldest_age: None,
            large_buckets: count_of(&large),
            sampled_buckets: count_of(&sampled),
            buckets: found.into_iter().map(|found| found.backlog).collect(),
        }
    }

    /// Reads the ages of the oldest entries. They stay unknown if that fails.
    pub(super) async fn read_ages(&mut self, snapshot: &Snapshot) {
        let oldest: Vec<_> = self.buckets.iter().map(|bucket| bucket.oldest).collect();
        if oldest.is_empty() {
            return;
        }
        match snapshot.ages(&oldest).await {
            Ok(ages) => {
                for (bucket, age) in self.buckets.iter_mut().zip(ages) {
                    bucket.oldest_age = age;
                }
                let oldest = self.buckets.iter().min_by_key(|bucket| bucket.oldest);
                self.oldest_age = oldest.and_then(|bucket| bucket.oldest_age);
            }
            Err(error) => tracing::warn!(%error, "the ages of waiting entries are not known"),
        }
    }
}

/// A bucket in which entries were found.
pub(super) struct Found {
    pub(super) backlog: BucketBacklog,
    /// True if the bucket has more entries than its share, or the limit was reached in it.
    pub(super) is_large: bool,
    pub(super) bucket_row: Bytes,
    /// The last row that was read.
    pub(super) row: Bytes,
}

fn count_of<T>(some: &[T]) -> u32 {
    u32::try_from(some.len()).unwrap_or(u32::MAX)
}
