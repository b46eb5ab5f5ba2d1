//! The pure part of a pass over the updates of a bucket: the groups of updates by key, and the
//! position at which the next pass begins.
//!
//! # Rules
//!
//! - **Q1.** A pass combines all updates of a key that it has read together, also if rows of longer
//!   keys sort between them. The updates of `a` and of `a\0..` interleave, because nothing
//!   separates the key from the sequence.
//! - **Q2.** A pass holds the updates of a key only until no further update of it can follow.
//! - **Q3.** Each pass leaves fewer updates than it found. A pass that requeues the sum of the keys
//!   that it has not read to their ends reads more updates than it requeues.

use fluo_table::{Bytes, Timestamp};

use crate::queue::Entry;

/// The updates of one key, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) key: Bytes,
    pub(super) updates: Vec<Entry>,
}

/// A pass over a bucket. Its caller offers the updates in the order of their rows.
#[derive(Debug, Default)]
pub(super) struct Pass {
    limit_bytes: usize,
    requeues: bool,
    bytes: usize,
    rows: usize,
    last_key: Bytes,
    /// The keys of which further updates may follow. Most often each is a prefix of the next one.
    open: Vec<Group>,
    /// The groups to which no update will be added, in the order of their last updates.
    pub(super) closed: Vec<Group>,
    is_full: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    /// The groups that the caller has not taken yet and that are complete.
    pub(super) complete: Vec<Group>,
    /// The groups of which updates may be left in the table.
    pub(super) partial: Vec<Group>,
    /// The position for the next pass. `None` if all updates were read.
    pub(super) next: Option<Bytes>,
}

impl Pass {
    /// Creates a pass that is full at a number of bytes of rows and values. If `requeues`, its
    /// caller writes the sum of a partial group back to the queue.
    pub(super) fn new(limit_bytes: usize, requeues: bool) -> Self {
        Self { limit_bytes, requeues, ..Self::default() }
    }

    /// Offers the next update. Returns false if the pass is full and does not take it.
    pub(super) fn offer(&mut self, update: Entry) -> bool {
        self.close(|key| is_past(&update, key));
        let requeued = if self.requeues { self.open.len() } else { 0 };
        self.is_full = self.bytes >= self.limit_bytes && self.rows > requeued;
        if self.is_full {
            return false;
        }
        self.bytes += update.row.len() + update.value.len();
        self.rows += 1;
        self.last_key = update.key.clone();
        let group = self.open.iter_mut().rfind(|group| group.key == update.key);
        match group {
            Some(group) => group.updates.push(update),
            None => self.open.push(Group { key: update.key.clone(), updates: vec![update] }),
        }
        true
    }

    /// Ends the pass, after the last update or after one that it did not take.
    pub(super) fn end(mut self) -> End {
        if !self.is_full {
            self.close(|_| true);
            return End { complete: self.closed, partial: Vec::new(), next: None };
        }
        let next = match self.open.iter().map(|group| &group.key).min() {
            Some(smallest) => smallest.clone(),
            // No update before this position is left, and all updates of later keys follow it.
            None => Bytes::from([&*self.last_key, b"\0"].concat()),
        };
        End { complete: self.closed, partial: self.open, next: Some(next) }
    }

    /// Closes the groups of which no update can follow (Q2).
    fn close(&mut self, is_past: impl Fn(&[u8]) -> bool) {
        self.closed.extend(self.open.extract_if(.., |group| is_past(&group.key)));
    }
}

/// Checks whether an entry sorts after every possible update of a key.
fn is_past(entry: &Entry, key: &[u8]) -> bool {
    let sequence = |sequence: Timestamp| sequence.get().to_be_bytes();
    let row = entry.key.iter().copied().chain(sequence(entry.sequence));
    row.gt(key.iter().copied().chain(sequence(Timestamp::MAX)))
}

#[cfg(test)]
mod tests {
    use fluo_table::{Bytes, Timestamp};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    use super::Pass;
    use crate::queue::{Entry, entry_row};

    const PREFIX: &[u8] = b"wc:u:";
    const BUCKET: &[u8] = b"wc:u:0:";

    type Updates = BTreeMap<Bytes, u64>;

    fn row(key: &[u8], sequence: u64) -> Bytes {
        entry_row(BUCKET, key, Timestamp::new(sequence).unwrap())
    }

    /// A model of the observer: sums of numbers over a map of rows.
    struct Queue {
        updates: Updates,
        values: BTreeMap<Bytes, u64>,
        next: Option<Bytes>,
        clock: u64,
        limit: usize,
        requeues: bool,
    }

    impl Queue {
        fn new(limit: usize, requeues: bool, updates: &[(&[u8], u64)]) -> Self {
            let row = |(key, sequence): &(&[u8], u64)| (row(key, *sequence), 1);
            Self {
                updates: updates.iter().map(row).collect(),
                values: BTreeMap::new(),
                next: None,
                clock: updates.iter().map(|(_, sequence)| *sequence).max().unwrap_or(0),
                limit,
                requeues,
            }
        }

        /// Runs a pass and returns the keys with new values.
        fn pass(&mut self) -> Vec<Bytes> {
            self.clock += 2;
            let mut pass = Pass::new(self.limit, self.requeues);
            let from = Bytes::from([BUCKET, self.next.as_deref().unwrap_or_default()].concat());
            let found: Vec<_> =
                self.updates.range(from..).map(|(row, value)| (row.clone(), *value)).collect();
            let taken = found.into_iter().take_while(|(row, value)| {
                let value = Bytes::from(value.to_string());
                pass.offer(Entry::parse(row.clone(), PREFIX, value).unwrap())
            });
            for (row, _) in taken.collect::<Vec<_>>() {
                self.updates.remove(&row);
            }
            let end = pass.end();
            let sum = |updates: &[Entry]| -> u64 {
                updates
                    .iter()
                    .map(|update| {
                        std::str::from_utf8(&update.value).unwrap().parse::<u64>().unwrap()
                    })
                    .sum()
            };
            let mut changed = Vec::new();
            let (partial, applied) = match self.requeues {
                true => (end.partial, Vec::new()),
                false => (Vec::new(), end.partial),
            };
            for group in end.complete.into_iter().chain(applied) {
                *self.values.entry(group.key.clone()).or_default() += sum(&group.updates);
                changed.push(group.key);
            }
            for group in partial {
                assert!(
                    self.updates.insert(row(&group.key, self.clock), sum(&group.updates)).is_none()
                );
            }
            self.next = end.next;
            changed
        }

        /// Runs passes until the queue is empty, and returns their number.
        fn drain(&mut self) -> usize {
            for passes in 1.. {
                let before = self.updates.len();
                self.pass();
                assert!(self.updates.len() < before || before == 0 || self.next.is_none(), "Q3");
                if self.updates.is_empty() && self.next.is_none() {
                    return passes;
                }
            }
            unreachable!()
        }
    }

    #[test]
    fn handles_one_key_a_pass_if_the_limit_is_one_byte() {
        let keys: [(&[u8], u64); 4] = [(b"k0", 1), (b"k1", 1), (b"k2", 1), (b"k3", 1)];
        let mut queue = Queue::new(1, true, &keys);
        for (key, next) in [("k0", "k0\0"), ("k1", "k1\0"), ("k2", "k2\0")] {
            assert_eq!(queue.pass(), [key]);
            assert_eq!(queue.next.as_deref(), Some(next.as_bytes()));
        }
        assert_eq!(queue.pass(), ["k3"]);
        assert_eq!(queue.next, None);
    }

    #[test]
    fn requeues_the_sum_of_a_key_that_is_larger_than_the_limit() {
        let hot: Vec<(&[u8], u64)> = [1, 3, 5, 7, 9].map(|at| (&b"hot"[..], at)).into();
        let mut queue = Queue::new(50, true, &hot);
        assert_eq!(queue.pass(), [""; 0]);
        assert_eq!(queue.next.as_deref(), Some(&b"hot"[..]));
        let requeued =
            Updates::from([(row(b"hot", 7), 1), (row(b"hot", 9), 1), (row(b"hot", 11), 3)]);
        assert_eq!(queue.updates, requeued);
        assert_eq!(queue.pass(), ["hot"]);
        assert_eq!((queue.next.clone(), queue.values[&b"hot"[..]]), (None, 5));
    }

    #[test]
    fn reads_more_updates_of_a_key_than_it_requeues() {
        let hot: Vec<(&[u8], u64)> = [1, 3, 5, 7].map(|at| (&b"hot"[..], at)).into();
        let mut queue = Queue::new(1, true, &hot);
        assert_eq!(queue.drain(), 3);
        assert_eq!(queue.values[&b"hot"[..]], 4);
    }

    /// The eight passes of the trace: the position and the updates that are left after each.
    #[test]
    fn mixes_complete_and_partial_keys() {
        let updates: Vec<(&[u8], u64)> = [&b"k1"[..], b"k2xx", b"k3yyyy"]
            .into_iter()
            .flat_map(|key| [1, 3, 5, 7].map(|at| (key, at)))
            .collect();
        let mut queue = Queue::new(40, true, &updates);
        for (number, at) in [(1, 1), (2, 3), (3, 5), (4, 7)] {
            for key in [&b"k1"[..], b"k2xx", b"k3yyyy"] {
                queue.updates.insert(row(key, at), number);
            }
        }
        for (next, left) in [
            (Some("k1"), 10),
            (Some("k2xx"), 8),
            (Some("k2xx"), 7),
            (Some("k2xx"), 6),
            (Some("k2xx\0"), 4),
            (Some("k3yyyy"), 3),
            (Some("k3yyyy"), 2),
            (None, 0),
        ] {
            queue.pass();
            assert_eq!(queue.next.as_deref(), next.map(str::as_bytes));
            assert_eq!(queue.updates.len(), left);
        }
        assert_eq!(queue.values.into_values().collect::<Vec<_>>(), [10, 10, 10]);
    }

    /// A key and a longer one whose next byte is zero: rows of the first sort around those of the
    /// second.
    #[test]
    fn combines_all_updates_of_a_key_among_those_of_a_longer_key() {
        let longer = b"a\0\0\0\0\0\x01";
        let updates: [(&[u8], u64); 4] = [(b"a", 1), (b"a", 300), (b"a", 70_000), (longer, 5)];
        let rows: Vec<_> = Queue::new(1, true, &updates).updates.into_keys().collect();
        assert_eq!(
            rows[2],
            row(longer, 5),
            "the longer key sorts before the last update of the first"
        );
        let mut queue = Queue::new(usize::MAX, true, &updates);
        let mut changed = queue.pass();
        changed.sort();
        assert_eq!(changed, [&b"a"[..], longer]);
        assert_eq!(queue.values[&b"a"[..]], 3);
    }

    #[test]
    fn applies_updates_in_order_if_it_does_not_requeue() {
        let hot: Vec<(&[u8], u64)> = [1, 3, 5].map(|at| (&b"hot"[..], at)).into();
        let mut queue = Queue::new(1, false, &hot);
        for left in [2, 1, 0] {
            assert_eq!(queue.pass(), ["hot"]);
            assert_eq!(queue.updates.len(), left);
        }
        assert_eq!(queue.values[&b"hot"[..]], 3);
    }

    fn keys() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![4 => Just(0_u8), 2 => Just(1), 1 => any::<u8>()];
        prop::collection::vec(byte, 0..12)
    }

    proptest! {
        #[test]
        fn loses_and_merges_no_key(
            updates in prop::collection::vec((keys(), 1..80_000_u64), 1..60),
            limit in 1..400_usize,
            requeues: bool,
        ) {
            let borrowed: Vec<(&[u8], u64)> = updates.iter().map(|(key, at)| (&**key, *at)).collect();
            let mut queue = Queue::new(limit, requeues, &borrowed);
            let mut expected: BTreeMap<Bytes, u64> = BTreeMap::new();
            for row in queue.updates.keys() {
                let entry = Entry::parse(row.clone(), PREFIX, Bytes::new()).unwrap();
                *expected.entry(entry.key).or_default() += 1;
            }
            queue.drain();
            prop_assert_eq!(queue.values, expected);
        }
    }
}
