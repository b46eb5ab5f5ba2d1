//! Which cells may have a record among the notifications that are set aside.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::coordination::FailedNotification;
use crate::data::RowColumn;

/// What a worker knows of the records of its cells, so that a success asks the coordination to forget one only where
/// there may be one.
///
/// Of a cell its hash is kept, which is so long that no two cells have the same one. Whatever is not known is asked for.
#[derive(Debug, Default)]
pub(super) struct Records {
    hashes: BTreeSet<[u64; 2]>,
    /// Whether every record is among them.
    are_all_known: bool,
    /// How often all was forgotten.
    forgotten: u64,
}

/// A listing of the records that has begun, and when: after so many times that all was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listing(u64);

/// Most that are known: twice what an application can have, so that after a list there is room for as many again.
const MOST_KNOWN: usize = 2 * FailedNotification::MAX_SET_ASIDE;

impl Records {
    /// All records were listed. Those that were added since the listing began stay. If all was forgotten since, what was
    /// added before that may be missing from the list: they have to be listed again.
    pub(super) fn know_all<'a>(
        &mut self,
        listing: Listing,
        cells: impl IntoIterator<Item = &'a RowColumn>,
    ) {
        if listing != Listing(self.forgotten) {
            return;
        }
        self.are_all_known = true;
        for cell in cells {
            self.add(cell);
        }
    }

    /// Cells of others may be this worker's from now on: nothing is known of theirs.
    pub(super) fn forget(&mut self) {
        *self = Self {
            forgotten: self.forgotten + 1,
            ..Self::default()
        };
    }

    /// The listing that begins now, if they have to be listed. Until they were, every success asks.
    pub(super) fn begin_listing(&self) -> Option<Listing> {
        (!self.are_all_known).then_some(Listing(self.forgotten))
    }

    /// A record of a cell was added.
    pub(super) fn add(&mut self, cell: &RowColumn) {
        self.hashes.insert(hash(cell));
        if self.hashes.len() > MOST_KNOWN {
            // Most of them are gone by now: whoever put them back, or processed them, does not tell.
            self.forget();
        }
    }

    /// Whether a cell may have a record, which is forgotten then.
    pub(super) fn take(&mut self, cell: &RowColumn) -> bool {
        self.hashes.remove(&hash(cell)) || !self.are_all_known
    }
}

fn hash(cell: &RowColumn) -> [u64; 2] {
    [0_u8, 1].map(|part| {
        let mut hasher = DefaultHasher::new();
        (part, cell).hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn cell(row: usize) -> RowColumn {
        RowColumn::new(row.to_string(), Column::new("f", "q"))
    }

    /// A worker that set ever more cells aside, which others put back, knew ever more of them.
    #[test]
    fn so_many_are_known_and_of_more_than_that_all_are_asked_for() {
        let mut records = Records::default();
        records.know_all(records.begin_listing().unwrap(), []);
        for row in 0..MOST_KNOWN {
            records.add(&cell(row));
            assert_eq!(records.begin_listing(), None);
        }
        assert!(!records.take(&cell(MOST_KNOWN)));
        records.add(&cell(MOST_KNOWN));
        assert!(records.hashes.len() <= MOST_KNOWN);
        let listing = records.begin_listing().unwrap();
        for row in [0, 7, MOST_KNOWN, MOST_KNOWN + 1] {
            assert!(records.take(&cell(row)), "{row}");
        }
        let (left, added) = (cell(7), cell(8));
        records.add(&added);
        records.know_all(listing, [&left]);
        assert_eq!(records.begin_listing(), None);
        assert!(
            records.take(&left) && records.take(&added),
            "added meanwhile"
        );
        assert!(!records.take(&left) && !records.take(&cell(0)));
    }

    /// The records were listed, then more were added than are kept, so that all were forgotten, and then the list made
    /// known as if it were whole.
    #[test]
    fn what_was_forgotten_during_a_listing_is_listed_again() {
        let mut records = Records::default();
        let listing = records.begin_listing().unwrap();
        for row in 0..=MOST_KNOWN {
            records.add(&cell(row));
        }
        records.know_all(listing, []);
        assert!(records.take(&cell(0)), "nobody knows");
        let again = records.begin_listing().unwrap();
        records.know_all(again, [&cell(0)]);
        assert!(records.take(&cell(0)) && !records.take(&cell(1)));
    }
}
