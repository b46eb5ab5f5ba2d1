//! The cells that may have a dead letter.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fluo_table::coordination::{Coordination, FailedNotification};
use fluo_table::{Result, RowColumn};

use crate::mutex::Mutex;

/// A cache of the cells of a worker that have dead letters, so that a success calls the
/// coordination only if there may be a dead letter to remove.
///
/// The cache keeps a hash of each cell, long enough that no two cells collide. A cell that may be
/// missing from the cache counts as one with a dead letter.
#[derive(Debug, Default)]
pub(super) struct DeadLetterCache {
    hashes: BTreeSet<[u64; 2]>,
    /// `true` if the cache includes every dead letter.
    is_complete: bool,
    /// Number of times that the cache was cleared.
    cleared: u64,
}

/// Maximum size of the cache: twice the dead letters of an application, so after a listing there is
/// room for the same number again.
const MAX_CACHED: usize = 2 * FailedNotification::MAX_DEAD_LETTERS;

/// Lists all dead letters, unless the cache is complete. Until that has succeeded, every cell may
/// have a dead letter.
pub(super) async fn list_dead_letters(
    cache: &Mutex<DeadLetterCache>,
    coordination: &dyn Coordination,
) -> Result<()> {
    let DeadLetterCache { is_complete, cleared, .. } = *cache.lock();
    if !is_complete {
        let listed = coordination.dead_letters().await?;
        cache.lock().add_all(cleared, listed.iter().map(|record| &record.cell));
    }
    Ok(())
}

impl DeadLetterCache {
    /// Adds the cells of all dead letters. Cells that were added since the listing began stay. If
    /// the cache was cleared since, the list may lack cells that were added before that. Then a new
    /// listing is needed.
    fn add_all<'a>(&mut self, cleared: u64, listed: impl IntoIterator<Item = &'a RowColumn>) {
        if self.cleared == cleared {
            self.is_complete = true;
            listed.into_iter().for_each(|cell| self.add(cell));
        }
    }

    pub(super) fn add(&mut self, cell: &RowColumn) {
        self.hashes.insert(hash(cell));
        if self.hashes.len() > MAX_CACHED {
            // Most of them no longer exist: other clients requeue or process them without a
            // message.
            self.clear();
        }
    }

    /// Returns `true` if a cell may have a dead letter, and removes the cell from the cache.
    pub(super) fn take(&mut self, cell: &RowColumn) -> bool {
        self.hashes.remove(&hash(cell)) || !self.is_complete
    }

    /// Clears the cache. Call this when cells of other workers may belong to this one.
    pub(super) fn clear(&mut self) {
        *self = Self { cleared: self.cleared + 1, ..Self::default() };
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
        let mut cache = DeadLetterCache::default();
        cache.add_all(0, []);
        for row in 0..MAX_CACHED {
            cache.add(&cell(row));
        }
        assert!(!cache.take(&cell(MAX_CACHED)));
        cache.add(&cell(MAX_CACHED));
        assert!(cache.hashes.len() <= MAX_CACHED);
        for row in [0, 7, MAX_CACHED, MAX_CACHED + 1] {
            assert!(cache.take(&cell(row)), "{row}");
        }
        let (left, added) = (cell(7), cell(8));
        cache.add(&added);
        cache.add_all(1, [&left]);
        assert!(cache.take(&left) && cache.take(&added), "added meanwhile");
        assert!(!cache.take(&left) && !cache.take(&cell(0)));
    }

    /// The dead letters were listed, then additions filled the cache, so it was cleared, and then
    /// the outdated list was taken as complete.
    #[test]
    fn ignores_a_listing_that_began_before_the_cache_was_cleared() {
        let mut cache = DeadLetterCache::default();
        for row in 0..=MAX_CACHED {
            cache.add(&cell(row));
        }
        cache.add_all(0, []);
        assert!(cache.take(&cell(0)), "not listed yet");
        cache.add_all(1, [&cell(0)]);
        assert!(cache.take(&cell(0)) && !cache.take(&cell(1)));
    }
}
