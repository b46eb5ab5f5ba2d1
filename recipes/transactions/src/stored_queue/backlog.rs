//! The entries that wait in the buckets of a queue: their number, or an estimate of it.

use std::fmt;
use std::time::Duration;

use fluo_engine::{Bytes, Timestamp};

/// The entries that wait in a queue.
///
/// If entries were left unread, `entries` and `bytes` are estimates. The buckets of a queue divide
/// its keys by their hash, so the buckets that were read completely say how many entries the other
/// ones have:
///
/// ```text
/// a bucket with at most as many entries as each bucket may have at first   exact
/// a larger one that was read to its end                                    exact
/// another larger one       the mean of the larger ones that were read to their end,
///                          or the number of entries that were read of it, if that is more
/// a bucket that was not reached     the mean of all others
/// ```
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
    /// The time since the transaction with this sequence began. It is too high by at most 10
    /// seconds, or a quarter. `None` if it is not [known](fluo_table::coordination::Timeline), as
    /// with an oracle of Java.
    pub oldest_age: Option<Duration>,
    /// The number of buckets of the queue all of whose entries were read, empty ones included.
    pub complete_buckets: u32,
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
    /// There are at least as many entries. No bucket from which the number of the unread ones could
    /// be estimated was read to its end.
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
    /// The time since that transaction began, as in [`Backlog::oldest_age`].
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
    pub(super) fn set_ages(&mut self, age: impl Fn(Timestamp) -> Option<Duration>) {
        self.oldest_age = self.oldest.and_then(&age);
        for bucket in &mut self.buckets {
            bucket.oldest_age = age(bucket.oldest);
        }
    }
}

/// A bucket in which entries were found.
pub(super) struct Found {
    pub(super) backlog: BucketBacklog,
    /// True if the bucket has more entries than each bucket may have at first.
    pub(super) is_large: bool,
    pub(super) bucket_row: Bytes,
    /// The last row that was read.
    pub(super) row: Bytes,
}

/// The result of a read within a limit.
pub(super) struct Read {
    pub(super) found: Vec<Found>,
    /// The number of buckets of the queue.
    pub(super) all: u32,
    /// The number of buckets of the queue that were not read, because the limit was reached.
    pub(super) unreached: u32,
}

impl Read {
    pub(super) fn into_backlog(self) -> Backlog {
        let cut = self.found.iter().filter(|found| !found.backlog.is_complete).count();
        let cut_here = self.large(false).count();
        let is_estimated = cut_here > 0 || self.unreached > 0;
        let accuracy = match (cut, self.unreached) {
            (0, 0) => Accuracy::Exact,
            _ if is_estimated && self.has_sample() => Accuracy::Estimate,
            _ => Accuracy::LowerBound,
        };
        let incomplete = u32::try_from(cut_here).unwrap_or(u32::MAX).saturating_add(self.unreached);
        Backlog {
            entries: self.estimate(|bucket| bucket.entries),
            bytes: self.estimate(|bucket| bucket.bytes),
            accuracy,
            oldest: self.found.iter().map(|found| found.backlog.oldest).min(),
            oldest_age: None,
            complete_buckets: self.all.saturating_sub(incomplete),
            buckets: self.found.into_iter().map(|found| found.backlog).collect(),
        }
    }

    /// Returns the large buckets of the queue that were read to their ends, or were not.
    fn large(&self, is_complete: bool) -> impl Iterator<Item = &BucketBacklog> {
        let large = self.found.iter().filter(|found| found.is_large && found.backlog.exists);
        large.map(|found| &found.backlog).filter(move |bucket| bucket.is_complete == is_complete)
    }

    /// Checks whether the large buckets say how many entries the unread ones have.
    fn has_sample(&self) -> bool {
        self.large(true).next().is_some() || self.large(false).next().is_none()
    }

    fn estimate(&self, of: impl Fn(&BucketBacklog) -> u64) -> u64 {
        let sum = |exists: bool| -> u64 {
            let found = self.found.iter().map(|found| &found.backlog);
            found.filter(|bucket| bucket.exists == exists).map(&of).sum()
        };
        if !self.has_sample() {
            return sum(true) + sum(false);
        }
        let complete: Vec<_> = self.large(true).map(&of).collect();
        let count = u64::try_from(complete.len()).unwrap_or(u64::MAX);
        let mean = complete.iter().sum::<u64>().checked_div(count).unwrap_or(0);
        let unread: u64 = self.large(false).map(|bucket| mean.saturating_sub(of(bucket))).sum();
        let reached = sum(true) + unread;
        let mean = reached / u64::from(self.all.saturating_sub(self.unreached).max(1));
        sum(false) + reached + mean * u64::from(self.unreached)
    }
}
