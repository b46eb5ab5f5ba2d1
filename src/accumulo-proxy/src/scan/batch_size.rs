//! The number of entries of each request of a scan.

use crate::data::{Bytes, Entry};

/// Target size of a reply, provided that entries are about as large as the previous ones.
const REPLY_BYTES: usize = 4 * 1024 * 1024;
/// Divisor of the maximum reply size that limits the target size.
const REPLY_SHARE: usize = 4;
/// Assumed size of entries that have not arrived yet.
const UNSEEN_ENTRY_BYTES: usize = 256 * 1024;
/// Overhead of an entry in a reply: lengths, timestamp, marks of the structure.
const ENTRY_FRAME_BYTES: usize = 64;
/// Maximum growth from one batch to the next, because a few small entries say little about the many
/// after them.
const GROWTH: usize = 8;
/// Divisor of the number of entries after a reply that was too long.
const SHRINK: usize = 4;

/// The number of entries of the next request, based on the size of those that arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    entries: usize,
    most_entries: usize,
    reply_bytes: usize,
    /// `None` if a reply above the maximum does no harm.
    max_reply_bytes: Option<usize>,
}

impl Pace {
    /// Creates a pace for a scan that resumes after a reply that was too long. It asks for at most
    /// `most_entries` at a time, and keeps replies far below `max_reply_bytes`.
    pub(super) fn bold(most_entries: usize, max_reply_bytes: usize) -> Self {
        let reply_bytes = REPLY_BYTES.min(max_reply_bytes / REPLY_SHARE);
        Self {
            entries: (reply_bytes / UNSEEN_ENTRY_BYTES).clamp(1, most_entries),
            most_entries,
            reply_bytes,
            max_reply_bytes: None,
        }
    }

    /// Creates a pace for a scan that fails after a reply that was too long. It does not rely on an
    /// average: the number of entries is limited so that they fit if each is as large as the
    /// largest that arrived, or has 256 KiB.
    pub(super) fn careful(most_entries: usize, max_reply_bytes: usize) -> Self {
        let fitting = (max_reply_bytes / UNSEEN_ENTRY_BYTES).max(1);
        Self {
            max_reply_bytes: Some(max_reply_bytes),
            ..Self::bold(most_entries.min(fitting), max_reply_bytes)
        }
    }

    /// Creates a pace for a scan that starts again after a reply that was too long. It requests as
    /// many entries as fit if each has 256 KiB.
    pub(super) fn whole(most_entries: usize, max_reply_bytes: usize) -> Self {
        let careful = Self::careful(most_entries, max_reply_bytes);
        Self { entries: careful.most_entries, ..careful }
    }

    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    pub(super) fn learn(&mut self, entries_bytes: impl ExactSizeIterator<Item = usize>) {
        let entries = entries_bytes.len().max(1);
        let (bytes, largest) = entries_bytes.fold((0_usize, 0), |(sum, largest), bytes| {
            (sum.saturating_add(bytes), bytes.max(largest))
        });
        if let Some(max_reply_bytes) = self.max_reply_bytes {
            let fitting = max_reply_bytes / largest.saturating_add(ENTRY_FRAME_BYTES);
            self.most_entries = self.most_entries.min(fitting).max(1);
        }
        let each = (bytes / entries).max(1);
        let fitting = self.reply_bytes / each;
        let grown = self.entries.saturating_mul(GROWTH);
        self.entries = fitting.min(grown).clamp(1, self.most_entries);
    }

    /// Shrinks the next request after a reply that was too long. Returns `false` if it cannot
    /// shrink further.
    pub(super) fn shrink(&mut self) -> bool {
        let can_shrink = self.entries > 1;
        self.entries = (self.entries / SHRINK).max(1);
        can_shrink
    }
}

pub(super) fn entry_bytes(entry: &Entry) -> usize {
    let key = &entry.key;
    let parts = [&key.row, &key.family, &key.qualifier, &key.visibility, &entry.value];
    parts.into_iter().map(Bytes::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn learn(pace: &mut Pace, entries: usize, entry_bytes: usize) {
        pace.learn(std::iter::repeat_n(entry_bytes, entries));
    }

    #[test]
    fn small_entries_soon_arrive_in_full_batches_or_in_those_that_fit_if_they_are_large() {
        for (new, expected) in [
            (Pace::bold as fn(_, _) -> _, [16, 128, 1000, 1000]),
            (Pace::careful, [16, 128, 256, 256]),
        ] {
            let mut pace: Pace = new(1000, 64 * MIB);
            for entries in expected {
                assert_eq!(pace.entries(), entries);
                learn(&mut pace, entries, 100);
            }
            assert_eq!(new(1000, 4096).entries(), 1);
        }
    }

    #[test]
    fn requests_few_large_entries_at_a_time() {
        let mut pace = Pace::bold(1000, 64 * MIB);
        learn(&mut pace, 16, MIB);
        assert_eq!(pace.entries(), 4);
        learn(&mut pace, 4, 10 * MIB);
        assert_eq!(pace.entries(), 1);
    }

    #[test]
    fn a_careful_scan_remembers_the_largest_entry() {
        let mut pace = Pace::careful(1000, 64 * MIB);
        learn(&mut pace, 16, 2 * MIB);
        for _ in 0..4 {
            let entries = pace.entries();
            learn(&mut pace, entries, 100);
        }
        assert_eq!(pace.entries(), 31);
    }

    #[test]
    fn shrinks_to_one_entry_after_replies_that_were_too_long() {
        let mut pace = Pace::bold(1000, 64 * MIB);
        assert!(pace.shrink());
        assert!(pace.shrink());
        assert_eq!(pace.entries(), 1);
        assert!(!pace.shrink());
    }
}
