//! How many entries to ask for at a time.

/// What one reply should take, as far as entries are like those before.
const REPLY_BYTES: usize = 4 * 1024 * 1024;
/// The share of the longest reply that one should take at most.
const REPLY_SHARE: usize = 4;
/// Nobody knows how large the first entries are; this many of them fit well if each has this many bytes.
const FIRST_ENTRY_BYTES: usize = 256 * 1024;
/// Most growth from one batch to the next, so that a few small entries say little about the many after them.
const GROWTH: usize = 8;
/// What a reply that was too long divides the number by.
const SHRINK: usize = 4;

/// How many entries to ask for, by the size of those that came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    entries: usize,
    most_entries: usize,
    reply_bytes: usize,
}

impl Pace {
    /// At most `most_entries` at a time, and replies far below `max_reply_bytes`.
    pub(super) fn new(most_entries: usize, max_reply_bytes: usize) -> Self {
        let reply_bytes = REPLY_BYTES.min(max_reply_bytes / REPLY_SHARE);
        Self {
            entries: (reply_bytes / FIRST_ENTRY_BYTES).clamp(1, most_entries),
            most_entries,
            reply_bytes,
        }
    }

    /// How many to ask for now.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// Learns from a batch.
    pub(super) fn learn(&mut self, entries: usize, bytes: usize) {
        let each = (bytes / entries.max(1)).max(1);
        let fitting = self.reply_bytes / each;
        let grown = self.entries.saturating_mul(GROWTH);
        self.entries = fitting.min(grown).clamp(1, self.most_entries);
    }

    /// Asks for less after a reply that was too long; false where less is nothing.
    pub(super) fn shrink(&mut self) -> bool {
        let can_shrink = self.entries > 1;
        self.entries = (self.entries / SHRINK).max(1);
        can_shrink
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    #[test]
    fn small_entries_soon_come_in_full_batches() {
        let mut pace = Pace::new(1000, 64 * MIB);
        let mut asked = Vec::new();
        for _ in 0..4 {
            asked.push(pace.entries());
            pace.learn(pace.entries(), pace.entries() * 100);
        }
        assert_eq!(asked, [16, 128, 1000, 1000]);
    }

    #[test]
    fn large_entries_come_a_few_at_a_time() {
        let mut pace = Pace::new(1000, 64 * MIB);
        pace.learn(16, 16 * MIB);
        assert_eq!(pace.entries(), 4);
        pace.learn(4, 40 * MIB);
        assert_eq!(pace.entries(), 1);
    }

    #[test]
    fn a_reply_that_was_too_long_shrinks_down_to_one_entry() {
        let mut pace = Pace::new(1000, 64 * MIB);
        assert!(pace.shrink());
        assert!(pace.shrink());
        assert_eq!(pace.entries(), 1);
        assert!(!pace.shrink());
    }

    #[test]
    fn a_short_longest_reply_starts_with_one_entry() {
        assert_eq!(Pace::new(1000, 4096).entries(), 1);
    }
}
