//! The table of a run, stored like on servers of Accumulo: writes stay in memory until a flush
//! writes them to a file, and a compaction rewrites some of the files. So an entry may be compacted
//! without the entries above or below it in its column.

mod attached;
mod compaction;
mod entries;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_table::{Authorizations, Cell, ConditionalMutation, Mutation, Result, Scan, Timestamp};

pub(super) use attached::Attached;
pub(super) use compaction::Tablet;
pub(super) use entries::Copies;
use entries::Entries;

/// One table on its server. A clone is the same table.
#[derive(Clone, Debug)]
pub(super) struct Server(Arc<Mutex<Entries>>);

impl Server {
    pub(super) fn new(copies: Copies) -> Self {
        Self(Arc::new(Mutex::new(Entries::new(copies))))
    }

    /// Returns the cells that a scan shows.
    pub(super) fn scan(&self, scan: &Scan, authorizations: &Authorizations) -> Vec<Cell> {
        self.entries().scan(scan, authorizations)
    }

    /// Writes a mutation. `rank` orders entries of the same key.
    pub(super) fn write(&self, mutation: &Mutation, rank: u64) {
        self.entries().apply(mutation, rank);
    }

    /// Writes mutations if all of their conditions hold, and returns whether they did.
    ///
    /// # Errors
    ///
    /// A condition cannot be asked with these authorizations.
    pub(super) fn write_if(
        &self,
        mutations: &[ConditionalMutation],
        authorizations: &Authorizations,
        rank: u64,
    ) -> Result<bool> {
        match mutations {
            [alone] => alone.check(authorizations)?,
            together => ConditionalMutation::check_together(together, authorizations)?,
        }
        let mut entries = self.entries();
        let all_hold = mutations.iter().all(|mutation| entries.all_hold(mutation, authorizations));
        if all_hold {
            for conditional in mutations {
                entries.apply(&conditional.mutation, rank);
            }
        }
        Ok(all_hold)
    }

    /// Flushes the memory of a tablet to a new file. The attached iterators drop garbage below the
    /// horizon.
    pub(super) fn flush(&self, tablet: &Tablet, attached: Attached, horizon: Timestamp) -> usize {
        let mut entries = self.entries();
        compaction::flush(&mut entries, tablet, attached, horizon)
    }

    /// Compacts the files of a tablet that `is_chosen` selects. If these are all of its files, the
    /// iterators treat it as a full compaction, although memory may contain newer entries.
    pub(super) fn compact(
        &self,
        tablet: &Tablet,
        is_chosen: impl Fn(u32) -> bool,
        attached: Attached,
        horizon: Timestamp,
    ) -> usize {
        let mut entries = self.entries();
        compaction::compact(&mut entries, tablet, is_chosen, attached, horizon)
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
