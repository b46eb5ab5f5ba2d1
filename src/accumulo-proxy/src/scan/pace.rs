//! How many entries to ask for at a time.

/// What one reply should take, as far as entries are like those before.
const REPLY_BYTES: usize = 4 * 1024 * 1024;
/// The share of the longest reply that one should take at most.
const REPLY_SHARE: usize = 4;
/// Nobody knows how large the entries are that have not come; this many fit well if each has this many bytes.
const UNSEEN_ENTRY_BYTES: usize = 256 * 1024;
/// What an entry takes in a reply besides its bytes: lengths, timestamp, marks of the structure.
const ENTRY_FRAME_BYTES: usize = 64;
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
    /// None where a reply that is longer does no harm.
    max_reply_bytes: Option<usize>,
}

impl Pace {
    /// For a scan that goes on after a reply that was too long: at most `most_entries` at a time, and replies far below
    /// `max_reply_bytes`.
    pub(super) fn bold(most_entries: usize, max_reply_bytes: usize) -> Self {
        let reply_bytes = REPLY_BYTES.min(max_reply_bytes / REPLY_SHARE);
        Self {
            entries: (reply_bytes / UNSEEN_ENTRY_BYTES).clamp(1, most_entries),
            most_entries,
            reply_bytes,
            max_reply_bytes: None,
        }
    }

    /// For a scan that ends with a reply that was too long. It trusts no average: so many at a time at most that
    /// they fit if each is as large as the largest that came, or of 256 KiB.
    pub(super) fn careful(most_entries: usize, max_reply_bytes: usize) -> Self {
        let fitting = (max_reply_bytes / UNSEEN_ENTRY_BYTES).max(1);
        Self {
            max_reply_bytes: Some(max_reply_bytes),
            ..Self::bold(most_entries.min(fitting), max_reply_bytes)
        }
    }

    /// How many to ask for now.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// Learns from a batch: the bytes of its entries.
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

    fn learn(pace: &mut Pace, entries: usize, entry_bytes: usize) {
        pace.learn(std::iter::repeat_n(entry_bytes, entries));
    }

    #[test]
    fn small_entries_soon_come_in_full_batches() {
        let mut pace = Pace::bold(1000, 64 * MIB);
        let mut asked = Vec::new();
        for _ in 0..4 {
            asked.push(pace.entries());
            learn(&mut pace, asked[asked.len() - 1], 100);
        }
        assert_eq!(asked, [16, 128, 1000, 1000]);
    }

    #[test]
    fn large_entries_come_a_few_at_a_time() {
        let mut pace = Pace::bold(1000, 64 * MIB);
        learn(&mut pace, 16, MIB);
        assert_eq!(pace.entries(), 4);
        learn(&mut pace, 4, 10 * MIB);
        assert_eq!(pace.entries(), 1);
    }

    #[test]
    fn a_careful_scan_asks_for_as_many_as_fit_if_they_were_large() {
        let mut pace = Pace::careful(1000, 64 * MIB);
        let mut asked = Vec::new();
        for _ in 0..4 {
            asked.push(pace.entries());
            learn(&mut pace, asked[asked.len() - 1], 100);
        }
        assert_eq!(asked, [16, 128, 256, 256]);
        assert_eq!(Pace::careful(1000, 4096).entries(), 1);
    }

    #[test]
    fn a_careful_scan_does_not_forget_the_largest_entry() {
        let mut pace = Pace::careful(1000, 64 * MIB);
        learn(&mut pace, 16, 2 * MIB);
        for _ in 0..4 {
            let entries = pace.entries();
            learn(&mut pace, entries, 100);
        }
        assert_eq!(pace.entries(), 31);
    }

    #[test]
    fn a_reply_that_was_too_long_shrinks_down_to_one_entry() {
        let mut pace = Pace::bold(1000, 64 * MIB);
        assert!(pace.shrink());
        assert!(pace.shrink());
        assert_eq!(pace.entries(), 1);
        assert!(!pace.shrink());
    }

    #[test]
    fn a_short_longest_reply_starts_with_one_entry() {
        assert_eq!(Pace::bold(1000, 4096).entries(), 1);
    }
}
