//! The cells that may have a dead letter.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fluo_table::RowColumn;
use fluo_table::coordination::FailedNotification;

/// A cache of the cells of a worker that have dead letters, so that a success calls the
/// coordination only if there may be a dead letter to remove.
///
/// The cache keeps a hash of each cell, long enough that no two cells collide. A cell that may be
/// missing from the cache counts as one with a dead letter.
#[derive(Debug, Default)]
pub(super) struct Records {
    hashes: BTreeSet<[u64; 2]>,
    /// `true` if the cache includes every dead letter.
    is_complete: bool,
    /// Number of times that the cache was cleared.
    forgotten: u64,
}

/// A listing of the dead letters in progress, with the number of times that the cache was cleared
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listing(u64);

/// Maximum size of the cache: twice the dead letters of an application, so after a listing there is
/// room for the same number again.
const MAX_CACHED: usize = 2 * FailedNotification::MAX_DEAD_LETTERS;

impl Records {
    /// Adds the cells of all dead letters. Cells that were added since the listing began stay. If
    /// the cache was cleared since, the list may lack cells that were added before that. Then a new
    /// listing is needed.
    pub(super) fn add_all<'a>(
        &mut self,
        listing: Listing,
        cells: impl IntoIterator<Item = &'a RowColumn>,
    ) {
        if listing != Listing(self.forgotten) {
            return;
        }
        self.is_complete = true;
        for cell in cells {
            self.add(cell);
        }
    }

    /// Clears the cache. Call this when cells of other workers may belong to this one.
    pub(super) fn forget(&mut self) {
        *self = Self { forgotten: self.forgotten + 1, ..Self::default() };
    }

    /// Begins a listing if one is needed. Until it has succeeded, every cell may have a dead
    /// letter.
    pub(super) fn begin_listing(&self) -> Option<Listing> {
        (!self.is_complete).then_some(Listing(self.forgotten))
    }

    /// Adds a cell that has a dead letter.
    pub(super) fn add(&mut self, cell: &RowColumn) {
        self.hashes.insert(hash(cell));
        if self.hashes.len() > MAX_CACHED {
            // Most of them no longer exist: other clients requeue or process them without a
            // message.
            self.forget();
        }
    }

    /// Returns `true` if a cell may have a dead letter, and removes the cell from the cache.
    pub(super) fn take(&mut self, cell: &RowColumn) -> bool {
        self.hashes.remove(&hash(cell)) || !self.is_complete
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
    use fluo_table::Column;

    fn cell(row: usize) -> RowColumn {
        RowColumn::new(row.to_string(), Column::new("f", "q"))
    }

    /// A worker that moved more and more cells to the dead letters, which others requeued, cached
    /// all of them.
    #[test]
    fn clears_the_cache_when_it_is_full() {
        let mut records = Records::default();
        records.add_all(records.begin_listing().unwrap(), []);
        for row in 0..MAX_CACHED {
            records.add(&cell(row));
            assert_eq!(records.begin_listing(), None);
        }
        assert!(!records.take(&cell(MAX_CACHED)));
        records.add(&cell(MAX_CACHED));
        assert!(records.hashes.len() <= MAX_CACHED);
        let listing = records.begin_listing().unwrap();
        for row in [0, 7, MAX_CACHED, MAX_CACHED + 1] {
            assert!(records.take(&cell(row)), "{row}");
        }
        let (left, added) = (cell(7), cell(8));
        records.add(&added);
        records.add_all(listing, [&left]);
        assert_eq!(records.begin_listing(), None);
        assert!(records.take(&left) && records.take(&added), "added meanwhile");
        assert!(!records.take(&left) && !records.take(&cell(0)));
    }

    /// The dead letters were listed, then additions filled the cache, so it was cleared, and then
    /// the outdated list was taken as complete.
    #[test]
    fn ignores_a_listing_that_began_before_the_cache_was_cleared() {
        let mut records = Records::default();
        let listing = records.begin_listing().unwrap();
        for row in 0..=MAX_CACHED {
            records.add(&cell(row));
        }
        records.add_all(listing, []);
        assert!(records.take(&cell(0)), "not listed yet");
        let again = records.begin_listing().unwrap();
        records.add_all(again, [&cell(0)]);
        assert!(records.take(&cell(0)) && !records.take(&cell(1)));
    }
}
