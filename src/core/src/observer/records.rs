//! Which cells may have a record among the notifications that are set aside.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::coordination::FailedNotification;
use crate::data::RowColumn;

/// What a worker knows of the records of its cells, so that a success asks the coordination to forget one only where
/// there may be one.
///
/// Of a cell its hash is kept: of two cells with one hash, the other one costs a question in vain. Whatever is not known
/// is asked for.
#[derive(Debug, Default)]
pub(super) struct Records {
    hashes: BTreeSet<u64>,
    /// Whether every record is among them.
    are_all_known: bool,
}

/// Most that are known: twice what an application can have, so that after a list there is room for as many again.
const MOST_KNOWN: usize = 2 * FailedNotification::MAX_SET_ASIDE;

impl Records {
    /// All records were listed. Those that were added since the listing began stay.
    pub(super) fn know_all<'a>(&mut self, cells: impl IntoIterator<Item = &'a RowColumn>) {
        self.are_all_known = true;
        for cell in cells {
            self.add(cell);
        }
    }

    /// Cells of others may be this worker's from now on: nothing is known of theirs.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether they have to be listed. Until they were, every success asks.
    pub(super) fn is_list_wanted(&self) -> bool {
        !self.are_all_known
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

fn hash(cell: &RowColumn) -> u64 {
    let mut hasher = DefaultHasher::new();
    cell.hash(&mut hasher);
    hasher.finish()
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
        records.know_all([]);
        for row in 0..MOST_KNOWN {
            records.add(&cell(row));
            assert!(!records.is_list_wanted());
        }
        assert!(!records.take(&cell(MOST_KNOWN)));
        records.add(&cell(MOST_KNOWN));
        assert!(records.hashes.len() <= MOST_KNOWN);
        assert!(records.is_list_wanted());
        for row in [0, 7, MOST_KNOWN, MOST_KNOWN + 1] {
            assert!(records.take(&cell(row)), "{row}");
        }
        let (left, added) = (cell(7), cell(8));
        records.add(&added);
        records.know_all([&left]);
        assert!(!records.is_list_wanted());
        assert!(
            records.take(&left) && records.take(&added),
            "added meanwhile"
        );
        assert!(!records.take(&left) && !records.take(&cell(0)));
    }
}
