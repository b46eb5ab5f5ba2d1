//! The pure part of a pass over a bucket: which entries it reads, and what its end writes.
//!
//! # Rules
//!
//! - **D1.** A pass reads at least one entry, and further ones until their bytes reach the limit.
//! - **D2.** Entries are acknowledged from the first one on, so the rest keeps its order.
//! - **D3.** If entries are left, or the pass began at a position, the bucket is notified again. So
//!   a last pass from the start of the bucket finds entries that were added before the position.

use fluo_table::Bytes;

use crate::queue::{End, Entry, SEQUENCE_BYTES};

#[derive(Debug, Default)]
pub(super) struct Pass {
    limit_bytes: usize,
    id_units: usize,
    bytes: usize,
    pub(super) entries: Vec<Entry>,
    /// The row of the first entry that the pass did not take.
    pub(super) rest: Option<Bytes>,
}

impl Pass {
    pub(super) fn new(limit_bytes: usize, id: &str) -> Self {
        // Java counts the characters of the id.
        Self { limit_bytes, id_units: id.encode_utf16().count(), ..Self::default() }
    }

    /// Offers the next entry. Returns false if the pass is full and does not take it.
    pub(super) fn offer(&mut self, entry: Entry) -> bool {
        if self.bytes >= self.limit_bytes && !self.entries.is_empty() {
            self.rest = Some(entry.row);
            return false;
        }
        self.bytes += entry.key.len() + entry.value.len() + SEQUENCE_BYTES + self.id_units;
        self.entries.push(entry);
        true
    }

    /// Returns the end of the pass, which began at a position if `had_next`, after the exporter has
    /// acknowledged some of its entries.
    pub(super) fn end(self, had_next: bool, acknowledged: usize) -> End {
        let has_left = acknowledged < self.entries.len();
        // A position would skip entries that the exporter has left.
        let next = self.rest.filter(|_| !has_left);
        End::new(had_next, next, has_left)
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::{Bytes, Timestamp};
    use std::collections::BTreeMap;

    use super::Pass;
    use crate::export_queue::Exported;
    use crate::queue::{Entry, entry_row};

    const BUCKET: &[u8] = b"ex:0:";

    /// A model of the observer over a map of rows.
    struct Queue {
        entries: BTreeMap<Bytes, Bytes>,
        next: Option<Bytes>,
        is_notified: bool,
        limit: usize,
    }

    impl Queue {
        fn new(limit: usize, keys: &[&str]) -> Self {
            let mut entries = BTreeMap::new();
            for (value, sequence) in [("val0", 1), ("val1", 3), ("val2", 5)] {
                for key in keys {
                    let row = entry_row(BUCKET, key.as_bytes(), Timestamp::new(sequence).unwrap());
                    entries.insert(row, Bytes::from(value));
                }
            }
            Self { entries, next: None, is_notified: true, limit }
        }

        /// Runs a pass and returns what it exports.
        fn pass(&mut self, answer: impl Fn(usize) -> Exported) -> String {
            self.is_notified = false;
            let mut pass = Pass::new(self.limit, "ex");
            let from = self.next.clone().unwrap_or(Bytes::from_static(BUCKET));
            for (row, value) in self.entries.range(from..) {
                if !pass.offer(Entry::parse(row.clone(), b"ex:", value.clone()).unwrap()) {
                    break;
                }
            }
            let count = pass.entries.len();
            let (acknowledged, _) = match count {
                0 => (0, Vec::new()),
                _ => answer(count).checked(count).unwrap(),
            };
            for entry in &pass.entries[..acknowledged] {
                self.entries.remove(&entry.row);
            }
            let entries = pass.entries.clone();
            let end = pass.end(self.next.is_some(), acknowledged);
            assert_eq!(end.deletes_next, self.next.is_some() && end.next.is_none());
            self.next = end.next;
            self.is_notified = end.continues;
            let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
            let names = entries[..acknowledged]
                .iter()
                .map(|entry| text(&entry.key) + text(&entry.value).trim_start_matches("val"));
            names.collect::<Vec<_>>().join(" ")
        }
    }

    fn all(_: usize) -> Exported {
        Exported::All
    }

    #[test]
    fn continues_at_the_first_entry_that_it_did_not_read() {
        let mut queue = Queue::new(30, &["k1", "k2"]);
        let position =
            |key: &[u8], sequence| Some(entry_row(BUCKET, key, Timestamp::new(sequence).unwrap()));
        assert_eq!((queue.pass(all).as_str(), queue.next.clone()), ("k10 k11", position(b"k1", 5)));
        assert_eq!((queue.pass(all).as_str(), queue.next.clone()), ("k12 k20", position(b"k2", 3)));
        assert_eq!((queue.pass(all).as_str(), queue.next.clone()), ("k21 k22", None));
        assert!(queue.is_notified, "a last pass from the start");
        assert_eq!((queue.pass(all).as_str(), queue.is_notified), ("", false));
    }

    #[test]
    fn exports_at_least_one_entry_a_pass() {
        let mut queue = Queue::new(15, &["k1", "k2"]);
        let passes: Vec<_> =
            std::iter::from_fn(|| queue.is_notified.then(|| queue.pass(all))).collect();
        assert_eq!(passes, ["k10", "k11", "k12", "k20", "k21", "k22", ""]);
    }

    #[test]
    fn keeps_the_entries_that_are_not_acknowledged_and_sets_no_position() {
        // The second limit leaves an entry that the pass does not read.
        for limit in [1 << 20, 30] {
            let mut queue = Queue::new(limit, &["k1"]);
            for expected in ["k10", "k11", "k12"] {
                assert_eq!(queue.pass(|_| Exported::UpTo(1)), expected);
                assert_eq!(queue.next, None);
            }
            assert!(!queue.is_notified);
        }
    }
}
